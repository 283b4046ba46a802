"""Section "Why 'key' and 'value'" on the server: the soft dictionary and its hard limit."""

from typing import Any

import pytest
import torch

import former
from viz.tabs.learn.sections import key_value
from viz.text import Refusal

VIEW: dict[str, Any] = {
    "keys": key_value.KEYS,
    "values": key_value.VALUES,
    "query": key_value.QUERY,
    "soft": key_value.ATTENTION,
    "asker": "query",
}


def random(t_query: int = 3, t_key: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q, k = torch.randn(1, 1, t_query, 4, dtype=torch.float64), torch.randn(1, 1, t_key, 4, dtype=torch.float64)
    return q, k, torch.randn(1, 1, t_key, 2, dtype=torch.float64)


def test_a_temperature_of_one_is_attention():
    assert key_value.temperature(key_value.ATTENTION) == 1
    q, k, v = random()
    torch.testing.assert_close(key_value.look_up(q, k, v, 1)[2], former.attend(q, k, v))


def test_the_hard_limit_is_what_ever_smaller_temperatures_come_to():
    q, k, v = random()
    _, weights, y = key_value.look_up(q, k, v, 0)
    _, nearly, close = key_value.look_up(q, k, v, 1e-6)
    torch.testing.assert_close(weights, nearly)
    torch.testing.assert_close(y, close)
    torch.testing.assert_close(weights.amax(-1), torch.ones(1, 1, 3, dtype=torch.float64))


def test_in_the_hard_limit_equal_keys_share():
    q, k, v = random(1, 2)
    _, weights, _ = key_value.look_up(q, k[:, :, :1].expand(1, 1, 2, 4), v, 0)
    assert weights.tolist() == [[[[0.5, 0.5]]]]


def test_a_query_of_zeros_gets_the_average_of_the_values():
    y = key_value.SECTION.tensors({}, VIEW | {"query": "0,0"})["y"]
    assert float(y) == pytest.approx((9 + 18 + 10 + 2) / 4)


def test_where_the_keys_ask_each_is_a_query():
    result = key_value.SECTION.tensors({}, VIEW | {"asker": "keys"})
    assert torch.equal(result["q"], result["k"])
    assert result["y"].shape == (1, 1, 4, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": "1,2"},
        {"values": "1,2,3,nan"},
        {"values": "1,2,3,100"},
        {"values": "1,2,3,a"},
        {"keys": "1,0"},
        {"query": "9,0"},
        {"soft": 41},
        {"soft": -1},
        {"asker": "nobody"},
    ],
)
def test_a_view_out_of_its_limits_is_refused(wrong):
    with pytest.raises(Refusal):
        key_value.SECTION.tensors({}, VIEW | wrong)
