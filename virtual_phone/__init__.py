"""An Android phone in Python, on the device side of the adb wire, with a drawn screen.

Its state is plain JSON. It stands alone and imports nothing of the rest of the product.
"""
