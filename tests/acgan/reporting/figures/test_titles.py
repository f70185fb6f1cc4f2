from dataclasses import replace

from acgan.reporting.figures.titles import device_titles


def test_devices_are_called_by_their_names(article_group):
    titles = device_titles(article_group.devices)
    assert [titles[id(device)] for device in article_group.devices] == [
        "Tesla P100-PCIE-16GB",
        "Tesla T4",
        "Tesla V100-SXM2-16GB",
    ]


def test_the_same_device_at_two_prices_is_told_apart(article_group):
    p100 = article_group.devices[0]
    devices = [p100, replace(p100, usd_per_hour=2.0), replace(p100, usd_per_hour=None)]
    titles = device_titles(devices)
    assert [titles[id(device)].removeprefix("Tesla P100-PCIE-16GB") for device in devices] == [
        ", 1.46 USD/h",
        ", 2 USD/h",
        ", no price",
    ]
