from examples.support_desk.users import NOTE_SHARE, THUMB_UP_SHARE, opinions
from tests.examples.clerk import serve_rightly, serve_saying
from tracemill.ingest.trace import Message

SILENCE = Message(role="assistant", content="I cannot help with that.")


def test_one_seed_gives_the_same_opinions_whatever_else_is_served() -> None:
    served = serve_rightly(60)

    said = opinions(served, seed=3)

    assert said == tuple(each for one in served for each in opinions([one], seed=3))
    assert said != opinions(served, seed=4)


def test_fulfilled_customers_press_a_thumb_up_at_times_and_nobody_takes_over() -> None:
    served = [one for one in serve_rightly(300) if not one.request.is_outage]

    said = opinions(served, seed=1)

    assert {(opinion.name, opinion.score) for opinion in said} == {("thumb", 1.0)}
    assert abs(len(said) / len(served) - THUMB_UP_SHARE) < 0.1


def test_who_takes_over_notes_the_call_that_was_wanted_for_a_good_share() -> None:
    served = serve_saying(SILENCE, count=300)
    wishes = {one.trace_id: one.request.state.wish for one in served}

    notes = [said for said in opinions(served, seed=1) if said.name == "takeover"]

    assert abs(len(notes) / len(served) - NOTE_SHARE) < 0.1
    assert all(note.correction == wishes[note.trace_id] for note in notes)


def test_an_outage_earns_thumbs_and_notes_like_any_failure() -> None:
    down = [one for one in serve_rightly(400) if one.request.is_outage]

    said = opinions(down, seed=1)

    assert {(opinion.name, opinion.score) for opinion in said} == {("thumb", 0), ("takeover", 0)}


def test_opinions_come_after_the_episode() -> None:
    served = serve_saying(SILENCE)
    ended = {one.trace_id: one.ended_at for one in served}

    assert all(said.created_at > ended[said.trace_id] for said in opinions(served, seed=1))
