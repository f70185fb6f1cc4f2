"""Batch sizes times precisions: what to run, in which order, each run in a process of its own."""
