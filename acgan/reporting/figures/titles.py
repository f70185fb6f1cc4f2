"""What devices are called in the figures' titles."""

from collections import Counter


def device_titles(devices):
    """Titles of some `Device`s, by `id`: the name, and the price where names repeat."""
    names = Counter(device.name for device in devices)
    return {
        id(device): device.name if names[device.name] == 1 else f"{device.name}, {_price(device)}"
        for device in devices
    }


def _price(device):
    return "no price" if device.usd_per_hour is None else f"{device.usd_per_hour:g} USD/h"
