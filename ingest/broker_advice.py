"""What to do about an error of the Kafka client, by the error's name."""

ADVICE = {
    "UnsupportedCodecError": "install the codec: pip install lz4 zstandard python-snappy",
    "CorruptRecordError": "the batch is damaged on the broker: see its log",
    "OffsetOutOfRangeError": "records were deleted while they were being read: start again",
    "TopicAuthorizationFailedError": "this user may not read the topic: see the broker's ACLs",
    "GroupAuthorizationFailedError": "this user may not use the group: see the broker's ACLs",
}


def advice(error: Exception) -> str:
    """Return what to do; for errors not listed, to look after the broker."""
    words = "see whether the broker runs, then start again; what was read is kept"
    return ADVICE.get(type(error).__name__, words)
