from pathlib import Path

import pytest

from tracemill.cli.template import settings_template
from tracemill.errors import SettingsError
from tracemill.settings import Settings, load_settings


def write(folder: Path, text: str) -> Path:
    path = folder / "tracemill.toml"
    path.write_text(text)
    return path


def test_without_a_file_every_setting_has_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    settings = load_settings()

    assert settings.kafka.bootstrap_servers == "127.0.0.1:9092"


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, '[kafka]\nbootstrap_servers = "file:1"\n[project]\nname = "desk"\n')
    monkeypatch.setenv("TRACEMILL_KAFKA__BOOTSTRAP_SERVERS", "environment:2")

    settings = load_settings(path)

    assert settings.kafka.bootstrap_servers == "environment:2"
    assert settings.project.name == "desk"


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, '[project]\nfolder = "data"\n[training]\nbase_model = "models/base"\n')

    settings = load_settings(path)

    assert settings.store_path == tmp_path / "data" / "tracemill.duckdb"
    assert settings.training.base_model == tmp_path / "models" / "base"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ('[kafka]\nbootstrap_server = "x"\n', "'bootstrap_servers'"),
        ('[kafcka]\nbootstrap_servers = "x"\n', "'kafka'"),
        ("[gate]\nalhpa = 0.1\n", "'alpha'"),
        ('[ingest.topics.logs]\ndecodr = "auto"\n', "'decoder'"),
        ('[ingest.topics.logs.mapping]\nmesages = "traj"\n', "'messages'"),
    ],
)
def test_an_unknown_key_names_the_nearest_known_one(
    tmp_path: Path, text: str, nearest: str
) -> None:
    path = write(tmp_path, text)

    with pytest.raises(SettingsError, match=f"did you mean {nearest}"):
        load_settings(path)


def test_an_unknown_variable_names_the_nearest_known_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEMILL_KAFKA__BOOTSTRAP", "x")

    with pytest.raises(SettingsError, match="TRACEMILL_KAFKA__BOOTSTRAP_SERVERS"):
        load_settings(write(tmp_path, ""))


def test_a_value_of_the_wrong_kind_is_named_with_its_key(tmp_path: Path) -> None:
    path = write(tmp_path, '[ingest]\nquiet_seconds = "soon"\n')

    with pytest.raises(SettingsError, match=r"ingest\.quiet_seconds cannot be 'soon'"):
        load_settings(path)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no TOML"):
        load_settings(write(tmp_path, "kafka = ["))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="tracemill init"):
        load_settings(tmp_path / "nowhere.toml")


def test_what_init_writes_are_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, settings_template()))

    # the file spells out every default, so only the folder differs: it is the file's
    assert settings.model_dump(exclude={"project"}) == Settings().model_dump(exclude={"project"})


def test_a_topic_of_dead_letters_that_is_read_itself_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, '[kafka]\ntopics = ["a", "b"]\n[ingest]\ndead_letter_topic = "b"\n')

    with pytest.raises(SettingsError, match="'b' is one of the topics that are read"):
        load_settings(path)


def test_rules_of_every_kind_are_read_each_by_its_own_keys(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        [[curation.policy]]
        kind = "before"
        name = "identify first"
        tool = "refund_order"
        first = "find_user"
        [[curation.checks]]
        kind = "command"
        name = "ledger"
        command = ["python3", "verify.py"]
        files = [{ name = "verify.py", content = "raise SystemExit(0)" }]
        tools = ["refund_order"]
        [[curation.checks]]
        kind = "limit"
        max_tokens = 200
        """,
    )

    curation = load_settings(path).curation

    assert [rule.kind for rule in (*curation.policy, *curation.checks)] == [
        "before",
        "command",
        "limit",
    ]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('kind = "limit"\nmax_token = 9', "did you mean 'max_tokens'"),
        ('kind = "limmit"', "no kind 'limmit': one of command, judge, answer"),
        ("weight = 1.0", "no kind None"),
        ('kind = "command"\nname = "x"\ncommand = []', "curation.checks.0.command"),
    ],
)
def test_a_rule_that_cannot_be_read_is_named(tmp_path: Path, rule: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings(write(tmp_path, f"[[curation.checks]]\n{rule}\n"))


def test_an_encoder_in_a_folder_beside_the_file_is_found_and_a_name_stays_a_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "encoder").mkdir()
    beside = load_settings(write(tmp_path, '[curation]\nembeddings = "encoder"\n'))
    named = load_settings(write(tmp_path, '[curation]\nembeddings = "maker/encoder"\n'))

    assert beside.curation.embeddings == str(tmp_path / "encoder")
    assert named.curation.embeddings == "maker/encoder"


def test_tables_that_init_leaves_out_can_be_written_below_it(tmp_path: Path) -> None:
    rule = '[[curation.checks]]\nkind = "limit"\nmax_steps = 2\n'
    filled = settings_template().replace("# [[curation.checks]]\n", rule)

    assert [rule.kind for rule in load_settings(write(tmp_path, filled)).curation.checks] == [
        "limit"
    ]
