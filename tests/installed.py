"""What is installed, found as Python finds it: a checkout or a wheel."""

import pkgutil
import re

from importlib import import_module
from importlib.metadata import requires


DISTRIBUTION = "chatmemory-py"
PACKAGES = ("chatmemory", "chatmemory_stores")


def modules_of(package: str) -> list[str]:
    """Name all modules of a package."""
    path = import_module(package).__path__
    found = pkgutil.walk_packages(path, f"{package}.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    return [package, *names]


MODULES = [name for package in PACKAGES for name in modules_of(package)]
PUBLIC = [name for name in MODULES if "._" not in name]


def distributions_of(extra: str) -> set[str]:
    """Name what an extra installs, that of other extras included."""
    found: set[str] = set()
    for requirement in requires(DISTRIBUTION) or []:
        wanted, _, marker = requirement.partition(";")
        if f'extra == "{extra}"' in marker.replace("'", '"'):
            name, *others = re.findall(r"[\w.-]+", re.split(r"[<>=!~]", wanted)[0])
            if name == DISTRIBUTION:
                found = found.union(*map(distributions_of, others))
            else:
                found.add(name.lower())
    return found
