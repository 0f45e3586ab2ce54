"""A server of S3's protocol, and a bucket of it for each test."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import boto3
import httpx2
import pytest
from moto.server import ThreadedMotoServer

from agentlog.infrastructure.postgres.database import Database
from tests.extensions.dataset.places.buckets import BucketExporter


@pytest.fixture(scope="package")
def endpoint() -> Iterator[str]:
    """The address of moto's server, in this process."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield "http://{}:{}".format(*server.get_host_and_port())
    finally:
        server.stop()


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a new bucket; the environment says how to reach it."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)  # of who runs the tests
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")  # boto3's name for it
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    name = f"bucket-{uuid4()}"
    httpx2.put(f"{endpoint}/{name}").raise_for_status()
    return name


@pytest.fixture
def reader(endpoint: str, bucket: str) -> Iterator[dict[str, str]]:
    """Credentials that may only read, where the server asks for some: it does, meanwhile."""
    iam = boto3.client("iam", endpoint_url=endpoint)
    iam.create_user(UserName=bucket)
    policy = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:Get*", "s3:List*"], "Resource": "*"}],
    }
    iam.put_user_policy(UserName=bucket, PolicyName="p", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName=bucket)["AccessKey"]
    asked = httpx2.post(f"{endpoint}/moto-api/reset-auth", content=b"0").raise_for_status().json()
    try:
        yield {
            "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        }
    finally:
        before = asked["PREVIOUS_INITIAL_NO_AUTH_ACTION_COUNT"].encode()
        httpx2.post(f"{endpoint}/moto-api/reset-auth", content=before).raise_for_status()


@pytest.fixture
def bucket_exporter(own_database: Database, bucket: str, tmp_path: Path) -> BucketExporter:
    """What exports the tests' log to that bucket."""
    return BucketExporter(own_database, bucket, tmp_path / "copies")
