"""The apps that are on the phone, launcher first."""

from virtual_phone.apps.browser import APP as BROWSER_APP
from virtual_phone.apps.clock import APP as CLOCK_APP
from virtual_phone.apps.contacts import APP as CONTACTS_APP
from virtual_phone.apps.launcher import APP as LAUNCHER_APP
from virtual_phone.apps.messages import APP as MESSAGES_APP
from virtual_phone.apps.notes import APP as NOTES_APP
from virtual_phone.apps.settings import APP as SETTINGS_APP
from virtual_phone.apps.shop import APP as SHOP_APP
from virtual_phone.apps.xiaoji import APP as XIAOJI_APP
from virtual_phone.view import App

APPS: tuple[App, ...] = (
    LAUNCHER_APP,
    SETTINGS_APP,
    NOTES_APP,
    BROWSER_APP,
    CONTACTS_APP,
    MESSAGES_APP,
    XIAOJI_APP,
    SHOP_APP,
    CLOCK_APP,
)
