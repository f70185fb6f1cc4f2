import pytest

from callbacks.prices import COLUMNS, Price, find_price, given_price, read_prices, why_no_price

HEAD = ",".join(COLUMNS)
ROW = "aws,g4dn.xlarge,Tesla T4,1,0.526,on_demand,yes,us-east-1,a table,2026-09-25"


@pytest.fixture
def table(tmp_path):
    """Writes lines as a price table and gives its path."""

    def write(*lines):
        path = tmp_path / "prices.csv"
        path.write_text("\n".join(lines))
        return path

    return write


@pytest.fixture
def packaged():
    return read_prices()


@pytest.mark.parametrize(
    ("gpu", "provider", "usd_per_hour"),
    [
        ("Tesla T4", None, 0.526),
        ("NVIDIA T4", "aws", 0.526),
        ("Tesla T4", "azure", 0.526),
        ("Tesla T4", "gcp", 0.35),
        ("Tesla P100-PCIE-16GB", None, 1.46),
        ("Tesla V100-SXM2-16GB", None, 3.06),
        ("Tesla V100-SXM2-16GB", "GCP", 2.48),
        ("NVIDIA L4", None, 0.56),
        ("NVIDIA A100-SXM4-40GB", None, 1.99),
        ("NVIDIA A100-SXM4-40GB", "gcp", 2.934),
        ("NVIDIA A100 80GB PCIe", None, 3.673),
        ("NVIDIA H100 80GB HBM3", None, 4.29),
        ("NVIDIA H100 PCIe", None, 3.29),
    ],
)
def test_public_prices(packaged, gpu, provider, usd_per_hour):
    assert find_price(packaged, gpu, provider=provider).usd_per_hour == usd_per_hour
    assert why_no_price(packaged, gpu, provider=provider) is None


@pytest.mark.parametrize(
    ("gpu", "another"),
    [
        ("NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-40GB"),
        ("NVIDIA L40S", "NVIDIA L4"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3"),
        ("Tesla V100-PCIE-16GB", "Tesla V100-SXM2-16GB"),
    ],
)
def test_a_similar_name_is_another_gpu(packaged, gpu, another):
    alone = [offer for offer in packaged if offer.gpu == another]
    assert find_price(alone, another) is not None
    assert find_price(alone, gpu) is None


def test_the_source_names_machine_date_source_and_whether_the_vm_is_included(packaged):
    aws = find_price(packaged, "Tesla T4", provider="aws").source
    assert aws == (
        "aws g4dn.xlarge (1 x Tesla T4), on demand, VM included, region not given; 2024/2026, "
        "third-party price tables"
    )
    gcp = find_price(packaged, "Tesla T4", provider="gcp").source
    assert "gcp GPU alone (1 x Tesla T4), on demand, the VM comes on top" in gcp
    assert "SkyPilot catalogue v8" in gcp


def test_of_several_offers_the_cheapest_with_a_vm_is_taken_and_said(table):
    prices = read_prices(
        table(
            HEAD,
            "a,big,Tesla T4,1,0.90,on_demand,yes,x,s,2026",
            "b,small,Tesla T4,1,0.50,on_demand,yes,x,s,2026",
            "c,alone,Tesla T4,1,0.35,on_demand,no,x,s,2026",
            "d,spot,Tesla T4,1,0.10,spot,yes,x,s,2026",
        )
    )
    price = find_price(prices, "Tesla T4")
    assert price.usd_per_hour == 0.50
    assert price.source.startswith("b small ")
    assert "the cheapest of 2 offers" in price.source
    assert find_price(prices, "Tesla T4", spot=True).usd_per_hour == 0.10


@pytest.mark.parametrize(
    ("gpu_count", "usd_per_hour", "machine"),
    [
        (1, 2.0, "a one "),
        (3, 3 * 2.0, "3 x a one "),
        (4, 7.0, "a four "),  # against 4 x 2.0
        (5, 5 * 2.0, "5 x a one "),  # against 2 x 7.0
        (8, 2 * 7.0, "2 x a four "),
    ],
)
def test_machines_are_rented_whole(table, gpu_count, usd_per_hour, machine):
    prices = read_prices(
        table(
            HEAD,
            "a,one,NVIDIA L4,1,2.0,on_demand,yes,x,s,2026",
            "a,four,NVIDIA L4,4,7.0,on_demand,yes,x,s,2026",
        )
    )
    price = find_price(prices, "NVIDIA L4", gpu_count)
    assert price.usd_per_hour == usd_per_hour
    assert price.source.startswith(machine)


def test_one_gpu_of_a_machine_of_eight_costs_the_machine(packaged):
    price = find_price(packaged, "NVIDIA A100-SXM4-80GB", provider="aws")
    assert price.usd_per_hour == 27.44705
    assert "(8 x NVIDIA A100-SXM4-80GB)" in price.source


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"gpu_name": None}, "without a GPU"),
        ({"gpu_name": "Tesla K80"}, "no price is known for GPU 'Tesla K80'"),
        (
            {"gpu_name": "Tesla T4", "provider": "acme"},
            "provider 'acme', only of aws, azure, gcp, lambda, runpod",
        ),
        (
            {"gpu_name": "Tesla T4", "provider": "lambda"},
            "GPU 'Tesla T4' of provider 'lambda', only of aws, azure, gcp",
        ),
        ({"gpu_name": "Tesla T4", "spot": True}, "no spot price is known for GPU 'Tesla T4'"),
        (
            {"gpu_name": "NVIDIA H100 80GB HBM3", "provider": "gcp"},
            "no on-demand price is known for GPU 'NVIDIA H100 80GB HBM3' of provider 'gcp'",
        ),
    ],
)
def test_no_price_has_a_reason_and_a_way_out(packaged, arguments, reason):
    assert find_price(packaged, **arguments) is None
    line = why_no_price(packaged, **arguments)
    assert reason in line
    assert line.endswith("give a price with --usd_per_hour")
    assert "\n" not in line


def test_a_given_price():
    assert given_price(0.92) == Price(0.92, "given: 0.92 USD/h")


@pytest.mark.parametrize("usd_per_hour", [0, -1.0, float("nan"), float("inf")])
def test_a_given_price_that_is_none(usd_per_hour):
    with pytest.raises(ValueError, match=f"usd_per_hour must be a positive.*{usd_per_hour}"):
        given_price(usd_per_hour)


def test_a_table_with_a_missing_column(table):
    path = table(HEAD.replace("billing,", ""), ROW.replace("on_demand,", ""))
    with pytest.raises(ValueError, match=r"prices\.csv, line 1: missing column billing"):
        read_prices(path)


@pytest.mark.parametrize("lines", [(), (HEAD,), (HEAD, "")])
def test_an_empty_table(table, lines):
    with pytest.raises(ValueError, match=r"prices\.csv holds no prices"):
        read_prices(table(*lines))


@pytest.mark.parametrize(
    ("column", "was", "value"),
    [
        ("usd_per_hour", "0.526", "-0.526"),
        ("usd_per_hour", "0.526", "0"),
        ("usd_per_hour", "0.526", "cheap"),
        ("usd_per_hour", "0.526", "nan"),
        ("gpu_count", ",1,", ",0,"),
        ("gpu_count", ",1,", ",1.5,"),
        ("billing", "on_demand", "reserved"),
        ("includes_vm", "yes", "perhaps"),
        ("date", "2026-09-25", "2026-13-01"),
        ("date", "2026-09-25", "25.09.2026"),
        ("date", "2026-09-25", "2024/2025/2026"),
    ],
)
def test_a_wrong_value_is_named_with_its_line_and_column(table, column, was, value):
    path = table(HEAD, ROW, ROW.replace(was, value))
    with pytest.raises(ValueError) as error:
        read_prices(path)
    assert f"{path}, line 3, column {column}: {value.strip(',')!r} is not " in str(error.value)


def test_an_empty_value(table):
    with pytest.raises(ValueError, match="line 2, column source: the value is empty"):
        read_prices(table(HEAD, ROW.replace("a table", " ")))


@pytest.mark.parametrize("row", [ROW + ",more", ROW.replace(",2026-09-25", "")])
def test_a_row_of_another_length(table, row):
    with pytest.raises(ValueError, match="line 2: the row does not have the 10 columns"):
        read_prices(table(HEAD, row))


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_bytes(b"\xff\xfe\x00binary")
    with pytest.raises(ValueError, match="not a CSV file in UTF-8"):
        read_prices(path)


def test_columns_may_stand_in_any_order(table):
    names, values = HEAD.split(","), ROW.split(",")
    turned = read_prices(table(",".join(names[::-1]), ",".join(values[::-1])))
    assert turned == read_prices(table(HEAD, ROW))
    assert turned[0].usd_per_hour == 0.526
    assert turned[0].includes_vm is True
