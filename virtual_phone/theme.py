"""Colours and sizes: the only place where either is named."""

from __future__ import annotations

from dataclasses import dataclass

DESIGN_WIDTH_PX = 1080


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours."""

    page: str
    card: str
    field: str
    text: str
    dim: str
    faint: str
    line: str
    accent: str
    accent_soft: str
    on_accent: str
    danger: str
    track: str
    key: str
    key_dark: str
    keyboard: str


LIGHT = Theme(
    page="#f3f5fa",
    card="#ffffff",
    field="#e7ebf4",
    text="#1a1d26",
    dim="#667085",
    faint="#98a1b3",
    line="#eceff5",
    accent="#3563e9",
    accent_soft="#dfe8ff",
    on_accent="#ffffff",
    danger="#d92d3a",
    track="#c9d0dd",
    key="#ffffff",
    key_dark="#cfd6e4",
    keyboard="#dfe4ee",
)
DARK = Theme(
    page="#0f1217",
    card="#1a1e26",
    field="#242a35",
    text="#eef1f7",
    dim="#9aa5b8",
    faint="#6c778c",
    line="#262c37",
    accent="#7ea2ff",
    accent_soft="#24345f",
    on_accent="#0d1530",
    danger="#ff7b82",
    track="#3b4454",
    key="#333b49",
    key_dark="#242a35",
    keyboard="#171b22",
)

BLUE, TEAL, GREEN, AMBER = "#3b7cf5", "#12a5a0", "#2fa866", "#f0a01f"
ORANGE, RED, PINK, PURPLE = "#f47b3c", "#ea5260", "#e0569b", "#8563e8"
INDIGO, SLATE, SKY = "#5566e0", "#6b7a94", "#2e9fe0"
PALETTE = (BLUE, TEAL, GREEN, AMBER, ORANGE, RED, PINK, PURPLE, INDIGO, SKY)


HOME_INK = "#1b2450"


def wallpaper(dark: bool) -> tuple[str, str, str, str]:
    """Return the launcher's colours from top to bottom, and that of the lights."""
    if dark:
        return "#0d1533", "#211f52", "#43285f", "#4b5fc4"
    return "#9cc3ff", "#b7b9ff", "#f6cfe4", "#f3f8ff"
