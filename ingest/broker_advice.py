"""What to do about an error of Kafka or its client, by the error's name in librdkafka."""

ADVICE = {
    "_AUTHENTICATION": "see sasl.mechanism, sasl.username and sasl.password in client_options",
    "_SSL": "see security.protocol and ssl.ca.location in client_options, and the broker's port",
    "_RESOLVE": "the host has no address: see how bootstrap_servers is written, and the network",
    "_BAD_MSG": "the batch is damaged on the broker: see its log",
    "_BAD_COMPRESSION": "its compression is damaged or unknown: see what the producer writes",
    "_NOT_IMPLEMENTED": "this client cannot read it: see what the producer writes",
    "_AUTO_OFFSET_RESET": "records were deleted while they were being read: start again",
    "UNKNOWN_TOPIC_OR_PART": "create the topic, or correct the list of topics",
    "TOPIC_AUTHORIZATION_FAILED": "this user may not use the topic: see the broker's ACLs",
    "GROUP_AUTHORIZATION_FAILED": "this user may not use the group: see the broker's ACLs",
    "CLUSTER_AUTHORIZATION_FAILED": "this user may not do that: see the broker's ACLs",
    "MSG_SIZE_TOO_LARGE": "see message.max.bytes of the broker, or max.message.bytes of the topic",
}
OTHERWISE = (
    "see whether it runs, and whether its address and security settings are right; "
    "what was read is kept"
)


def advice(name: str) -> str:
    """Return what to do; for errors not listed, to look after the broker."""
    return ADVICE.get(name.replace("SASL_AUTHENTICATION_FAILED", "_AUTHENTICATION"), OTHERWISE)
