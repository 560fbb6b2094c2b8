"""Figures for Prometheus, read when asked for."""

from prometheus_client import CollectorRegistry, Gauge

from core.devices import store as devices
from core.runs import store as runs
from web.console import Console

REGISTRY = CollectorRegistry()
RUNS_OPEN = Gauge("phonedeck_runs_open", "Runs that have not ended", registry=REGISTRY)
DEVICES = Gauge("phonedeck_devices", "Devices by state", ["state"], registry=REGISTRY)
LEASES = Gauge("phonedeck_leases", "Devices that somebody holds", registry=REGISTRY)


def refresh(console: Console) -> None:
    """Bring the figures up to date."""
    db = console.instance.db
    listed = devices.listing(db)
    RUNS_OPEN.set(len(runs.open_runs(db)))
    LEASES.set(sum(device["lease"] is not None for device in listed))
    DEVICES.clear()
    for device in listed:
        DEVICES.labels(device["state"]).inc()
