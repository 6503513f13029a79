"""Stores that need a database: import the module of the one that you want."""
