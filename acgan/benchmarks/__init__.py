"""Reference steps that this project's own is compared with, and the comparisons."""
