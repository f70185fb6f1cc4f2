"""Flag definitions by theme; the commands in `acgan/` say which they have."""
