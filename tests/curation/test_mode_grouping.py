from tracemill.curation.mode_grouping import Signature, group_signatures
from tracemill.curation.mode_names import common_name


def claim(shape: str, *, traces: int = 1, tool: str = "book") -> Signature:
    return Signature(f"{tool}: {shape}", "tool error", tool, "agent", shape, traces)


def test_near_claims_are_one_mode_founded_by_the_one_seen_most() -> None:
    rare = claim("no seats left on the night train to …")
    common = claim("no seats left on the train to …", traces=9)
    other = claim("payment method not found")

    assert group_signatures([rare, other, common], []) == {
        rare.id: common.id,
        common.id: common.id,
        other.id: other.id,
    }


def test_a_new_claim_joins_the_mode_that_is_known() -> None:
    known = claim("no seats left on the train to …")
    new = claim("no seats left on the night train to …")

    assert group_signatures([new], [known]) == {new.id: known.id}


def test_other_tools_and_far_claims_are_never_joined() -> None:
    claims = [
        claim("payment method not found"),
        claim("payment method not found", tool="refund"),
        claim("gift card balance is not enough"),
        claim("not enough seats on flight …"),
        claim("flight … not available on date …"),
    ]

    assert all(mode == each for each, mode in group_signatures(claims, []).items())


def test_a_chain_of_small_steps_does_not_tie_far_claims_together() -> None:
    words = [f"word{chr(97 + i)}" for i in range(14)]
    chain = [claim(" ".join(words[i : i + 6])) for i in range(9)]

    modes = group_signatures(chain, [])

    assert modes[chain[0].id] != modes[chain[-1].id]


def test_a_modes_name_is_what_its_claims_share() -> None:
    assert common_name(["no seats on flight …"]) == "no seats on flight …"
    assert common_name(["no seats on flight …", "no seats on the train …"]) == "no seats on …"
    assert common_name(["x called (a, b)", "x called (b)"]) == "x called (b, a)"
