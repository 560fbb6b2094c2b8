"""What a phone says it is: its make, its size and the properties that follow from them."""

from dataclasses import dataclass

from virtual_phone.wire import FEATURES


@dataclass(frozen=True, slots=True)
class Profile:
    """What the phone says it is."""

    serialno: str = "VP15555"
    model: str = "Pixel 7"
    width: int = 1080
    height: int = 2400
    density: int = 440
    android: str = "14"
    sdk: int = 34
    locale: str = "zh-CN"
    brand: str = "virtual"
    device: str = "vphone"
    seed: int = 0
    modern: bool = False
    recorded: str = ""

    def banner(self) -> str:
        """Return what the phone says of itself when adb connects."""
        model = self.model.replace(";", " ").replace(",", " ")
        device = self.device
        return (
            f"device::ro.product.name={device};ro.product.model={model};"
            f"ro.product.device={device};features={FEATURES}"
        )

    def properties(self, locale: str) -> dict[str, str]:
        """Return what ``getprop`` knows, when the phone speaks ``locale``."""
        return {
            "ro.build.characteristics": "default",
            "ro.build.version.release": self.android,
            "ro.build.version.sdk": str(self.sdk),
            "ro.product.brand": self.brand,
            "ro.product.cpu.abi": "arm64-v8a",
            "ro.product.cpu.abilist": "arm64-v8a,armeabi-v7a",
            "ro.product.device": self.device,
            "ro.product.manufacturer": self.brand,
            "ro.product.model": self.model,
            "ro.product.name": self.device,
            "ro.serialno": self.serialno,
            "ro.sf.lcd_density": str(self.density),
            "persist.sys.locale": locale,
            "sys.boot_completed": "1",
        }
