"""CSV: the orders of the benchmark, 11 columns, all of them read."""

from readers import Contestant, c_program, mergewalk, orders, python_program

BARS = {"c-simd-fields": 1.25, "duckdb": 1.0}


def data(settings):
    return orders(settings) / "orders.csv"


def contestants(settings, path):
    return [
        Contestant("mergewalk", lambda: mergewalk(settings, "csv", path)),
        Contestant("c-simd-fields", lambda: [c_program(settings, "simd_fields"), path]),
        Contestant("duckdb", lambda: python_program(settings, "duckdb_csv", "duckdb", path), check=()),
    ]
