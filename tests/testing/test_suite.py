"""The suite itself: it passes a right store, and fails one for each broken promise."""

from collections.abc import Generator
from pathlib import Path
from textwrap import dedent

import pytest

from hypothesis import Phase, settings

from chatmemory.testing import AtomicChatMemoryStoreSuite, ChatMemoryStoreSuite


pytest_plugins = ["pytester"]


BROKEN = [
    ("ReturnsNone", "an_unknown_id_has_no_messages"),
    ("OnlyAppends", "an_update_replaces_all_messages"),
    ("DeletesNothing", "a_deleted_memory_is_forgotten"),
    ("DeletesOnlyWhatIsThere", "deleting_an_unknown_id_does_nothing"),
    ("HidesItsVerb", "it_can_be_told_to_be_atomic"),
    ("OrdersByObject", "a_change_makes_the_next_state"),
    ("NeverDrops", "a_change_drops_messages"),
    ("StoresWhatWasSaid", "what_is_said_and_dropped_at_once"),
    ("TakesNoneForEmpty", "no_change_writes_nothing"),
    ("CutsAtNul", "what_was_stored_comes_back_equal"),
    ("TakesTrueForOne", "what_was_stored_comes_back_equal"),
    ("CutsAtNul", "what_was_added_comes_back_equal"),
    ("OrdersByTheSecond", "messages_keep_their_order"),
    ("OrdersByTheSecond", "messages_are_in_the_order_of_the_batches"),
    ("FoldsCase", "ids_are_told_apart"),
    ("TrimsTrailingSpaces", "ids_are_told_apart"),
    ("ComposesIds", "ids_are_told_apart"),
    ("DeletesByPattern", "deleting_one_id_leaves_the_others"),
    ("SharesItsList", "lists_are_not_shared"),
    ("ChangesItsListLater", "lists_do_not_change_later"),
    ("HalfWritesOnFailure", "what_a_store_refuses_changes_nothing"),
    ("HalfWritesOnFailure", "a_refused_change_changes_nothing"),
    ("SwallowsErrors", "a_change_that_fails_changes_nothing"),
    ("CommitsOnInterrupt", "a_change_that_fails_changes_nothing"),
    ("WritesAfterItsCancellation", "a_cancelled_change_is_before_or_after"),
    ("HalfWritesWhenCancelled", "a_cancelled_change_is_before_or_after"),
    ("LosesTasks", "tasks_lose_nothing"),
    ("LosesUnderRaces", "threads_lose_nothing"),
    ("TearsBatches", "threads_lose_nothing"),
    ("DoublesUnderRaces", "threads_lose_nothing"),
    ("LosesAFirstWriter", "first_writers_of_a_new_id"),
    ("MixesMemories", "memories_do_not_mix"),
    ("ShowsHalfBatches", "readers_see_whole_states"),
    ("TearsBatches", "deleting_while_others_write"),
    ("KeepsToItself", "data_outlives_its_object"),
    ("KeepsToItsProcess", "processes_lose_nothing"),
    ("NeverLooksAgain", "a_reader_sees_what_others_wrote"),
    ("ReusesVersionsAfterDelete", "a_reader_sees_a_memory_that_was_made_anew"),
    ("ReusesVersionsAfterDelete", "a_change_sees_a_memory_that_was_made_anew"),
    ("LocksItsObjectOnly", "objects_lose_nothing"),
    ("OrdersByObject", "the_order_is_that_of_the_commits"),
    ("DeletesNothing", "any_steps"),
    ("NeverLooksAgain", "any_steps_on_two_objects"),
]

settings.register_profile("unshrunk", phases=[Phase.generate], derandomize=True)

TESTED = """
import pytest

from chatmemory.testing import AtomicChatMemoryStoreSuite, Blocking
from broken_stores import {store}


class TestStore(AtomicChatMemoryStoreSuite):
    examples = 20

    @pytest.fixture
    def store(self):
        store = {store}()
        if hasattr(store, "get_messages"):
            yield store
        else:
            with Blocking(store) as blocking:
                yield blocking

    @pytest.fixture
    def reopened(self, store):
        return store.reopened
"""


@pytest.fixture(autouse=True)
def unshrunk() -> Generator[None]:
    """Let Hypothesis be content with the first example that fails."""
    profile = settings.get_current_profile_name()
    settings.load_profile("unshrunk")
    yield
    settings.load_profile(profile)


def run(pytester: pytest.Pytester, store: str, test: str = "") -> pytest.RunResult:
    """Run the atomic suite, or one test of it, on one of the stores beside this file."""
    pytester.syspathinsert(Path(__file__).parent)
    path = pytester.makepyfile(test_store=TESTED.format(store=store))
    node = f"{path}::TestStore::test_{test}" if test else path
    return pytester.runpytest_inprocess(node, "-Werror", "-ra", "-pno:cacheprovider")


@pytest.mark.parametrize(("store", "test"), BROKEN)
def test_a_broken_promise_is_found(pytester: pytest.Pytester, store: str, test: str):
    """For each promise, a store that keeps all others fails the test of that one."""
    outcomes = run(pytester, store, test).parseoutcomes()
    assert outcomes.get("failed", 0) > 0
    assert set(outcomes) <= {"failed", "failures", "passed"}


def test_each_promise_is_broken_by_some_store():
    """There is no test that no store fails."""
    tests = {name for name in dir(AtomicChatMemoryStoreSuite) if name[:5] == "test_"}
    assert tests == {f"test_{test}" for _, test in BROKEN}


def test_a_right_store_passes(pytester: pytest.Pytester):
    """The store that the broken ones are made of keeps all promises."""
    outcomes = run(pytester, "KeepsAllPromises").parseoutcomes()
    assert {"passed", "skipped"} == set(outcomes)


def test_a_right_async_store_passes(pytester: pytest.Pytester):
    """What only async stores promise is checked of them."""
    for test in ("tasks_lose_nothing", "a_cancelled_change_is_before_or_after"):
        run(pytester, "KeepsAllPromisesAsync", test).assert_outcomes(passed=1)


def test_what_is_skipped_says_why(pytester: pytest.Pytester):
    """Tests that the store gives no occasion for are skipped, with what is missing."""
    result = run(pytester, "KeepsAllPromises", "processes_lose_nothing")
    result.stdout.fnmatch_lines(["*SKIPPED*`reopened` can't be pickled*"])
    result = run(pytester, "KeepsAllPromises", "tasks_lose_nothing")
    result.stdout.fnmatch_lines(["*SKIPPED*an async one enters as Blocking(store)*"])


@pytest.mark.parametrize("suite", [ChatMemoryStoreSuite, AtomicChatMemoryStoreSuite])
def test_a_suite_needs_a_store(pytester: pytest.Pytester, suite: type):
    """A suite without a store says what it needs, one without `reopened` skips."""
    name = suite.__name__
    pytester.makepyfile(
        dedent(f"""
        import pytest

        from chatmemory import InMemoryChatMemoryStore
        from chatmemory.testing import {name}


        class TestNothing({name}):
            pass


        class TestStore({name}):
            @pytest.fixture
            def store(self):
                return InMemoryChatMemoryStore()
        """)
    )
    result = pytester.runpytest_inprocess("-ra", "-kdata_outlives_its_object")
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "E *TestNothing needs a fixture `store`*",
            "SKIPPED*there is no fixture `reopened`*",
        ]
    )
