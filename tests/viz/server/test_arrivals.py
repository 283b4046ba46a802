"""Models that arrive while the page is there; tests/browser/server/test_arrivals.py downloads one."""

from viz.passes import sources
from viz.passes.snapshots import WithSnapshots
from viz.server.arrivals import Arrivals
from viz.text import note


def test_an_unforeseen_error_ends_one_arrival_and_the_next_arrives(models, monkeypatch, capsys):
    loaded = next(iter(models.values()))

    def opened(name, *_):
        if name == "one":
            raise OSError("no space left on device")
        return loaded

    monkeypatch.setattr(sources, "open_model", opened)
    arrivals, here, told = Arrivals(["one", "two"]), {}, []
    arrivals.start(here, lambda: told.append(list(here))).join(timeout=30)
    assert [each.state for each in arrivals.all] == ["failed", "here"]
    assert arrivals.all[0].why == note("arrival_damaged")
    assert told == [[loaded.name]]
    assert arrivals.expected, "the page says why the first is not there"
    assert "no space left" in capsys.readouterr().err


def test_models_may_arrive_while_others_read_the_list(models):
    growing = dict(models)
    both = iter(WithSnapshots(growing))
    next(both)
    growing["another"] = next(iter(models.values()))
    assert "another" not in list(both)
