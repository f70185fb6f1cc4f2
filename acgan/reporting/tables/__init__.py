"""The report's tables, as text: one file a table."""
