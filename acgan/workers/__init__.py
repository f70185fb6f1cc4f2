"""Processes on several machines that train together: who they are, how they meet and keep watch."""
