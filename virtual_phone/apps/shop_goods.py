"""What the shop sells. Prices are in cents, as money should be."""

from __future__ import annotations

from dataclasses import dataclass

from virtual_phone import theme


@dataclass(frozen=True, slots=True)
class Product:
    """One thing on the shelf."""

    id: int
    names: tuple[str, str]
    about: tuple[str, str]
    cents: int
    icon: str
    color: str


_ROWS = (
    ("挂耳咖啡 10 包", "Drip coffee, 10 bags", "中度烘焙，坚果香", "Medium roast", 3990, "cup"),
    ("无线鼠标", "Wireless mouse", "静音按键，续航半年", "Silent, half a year", 7900, "data"),
    ("双肩背包 20 升", "Backpack, 20 litres", "防泼水面料", "Splash proof", 15900, "bag"),
    ("护眼台灯", "Desk lamp", "无频闪，三档色温", "No flicker", 12900, "sun"),
    ("蓝牙耳机", "Bluetooth earphones", "入耳式，降噪", "In-ear", 19900, "bluetooth"),
    ("保温杯 500 毫升", "Flask, 500 ml", "316 不锈钢内胆", "Steel inside", 6900, "cup"),
    ("纯棉毛巾 3 条", "Cotton towels, 3", "吸水不掉毛", "Soft", 4590, "heart"),
    ("移动电源 10000 毫安", "Power bank", "支持快充", "Charges fast", 9900, "battery"),
    ("阳台绿萝", "Pothos plant", "好养，带盆", "With a pot", 2580, "star"),
    ("桌面收纳盒", "Desk organiser", "三层抽屉", "Three drawers", 3290, "storage"),
)

PRODUCTS = tuple(
    Product(number, (zh, en), (zh_about, en_about), cents, icon, theme.PALETTE[number % 10])
    for number, (zh, en, zh_about, en_about, cents, icon) in enumerate(_ROWS, start=1)
)
BY_ID = {product.id: product for product in PRODUCTS}


def money(cents: int) -> str:
    """Write a price."""
    return f"¥{cents / 100:.2f}"
