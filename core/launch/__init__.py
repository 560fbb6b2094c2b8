"""Run Phonedeck's programs under one parent: what start.sh does once everything is installed."""
