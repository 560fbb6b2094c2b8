"""Files for a message: uploaded, refused, sent with it, shown and let go of."""

import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from core import attachments, retention
from core.clock import utc_now
from core.models import Artifact, Run
from tests.web.conftest import Browser
from tests.web.test_hardening import HUNDRED_MB, Endless
from web.console import Console

ROUTE = "/api/agent/attachments"
GB18030 = "会议纪要：周五交报告。" * 3


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 20)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "teal").save(out, kind)
    return out.getvalue()


def upload(browser: Browser, data: bytes, name: str = "a.txt") -> TestResponse:
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + b"\r\n--x--\r\n"
    return browser.post(ROUTE, data=body, content_type="multipart/form-data; boundary=x")


def on_disk(console: Console) -> list[str]:
    return sorted(path.name for path in console.instance.config.artifacts.iterdir())


def begin(browser: Browser, ids: list[str], **more: Any) -> dict[str, Any]:
    body = {"prompt": "看看附件", "serial": "s1", "attachments": ids, **more}
    answer = browser.post("/api/agent/run", json=body)
    return {"status": answer.status_code, **answer.get_json()}


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (picture("PNG"), "image/png"),
        (picture("JPEG"), "image/jpeg"),
        (picture("WEBP"), "image/webp"),
        ("你好 world\n".encode(), "text/plain"),
        (GB18030.encode("gb18030"), "text/plain"),
        ("宽字符".encode("utf-16"), "text/plain"),
        (b"<svg onload=alert(1)>", "text/plain"),
        (b"%PDF-1.7 ...", "application/pdf"),
        (b"MZ\x00\x00\x01", "application/octet-stream"),
        (b"\x89PNG\r\n\x1a\nbroken", "application/octet-stream"),
    ],
)
def test_what_a_file_is_its_bytes_say(data: bytes, mime: str) -> None:
    assert attachments.mime_of(data) == mime


@pytest.mark.parametrize(
    ("data", "mime"),
    [(picture(), "image/png"), (b"<script>alert(1)</script>", "text/plain")],
    ids=["picture", "page"],
)
def test_a_picture_is_shown_and_anything_else_downloaded(
    operator: Browser, data: bytes, mime: str
) -> None:
    answer = upload(operator, data, "页面.html")

    kept = answer.get_json()
    assert (answer.status_code, kept["mime"], kept["name"]) == (201, mime, "页面.html")
    assert kept["size"] == len(data)
    found = operator.get(kept["url"], buffered=True)
    assert (found.data, found.mimetype) == (data, mime)
    disposition = found.headers["Content-Disposition"]
    assert disposition.startswith("attachment") != mime.startswith("image/")
    assert "filename*=UTF-8''%E9%A1%B5%E9%9D%A2.html" in disposition


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\instance.key", "instance.key"),
        ("/abs/x.png", "x.png"),
        ("..", ".."),
        ("gnp.\u202eexe.txt", "gnp.exe.txt"),
        ("a\r\nSet-Cookie: x=1.txt", "aSet-Cookie: x=1.txt"),
        ("\x00\x01", "file"),
        ("<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>.txt"),
        ("长" * 300 + ".txt", "长" * 115 + "….txt"),
    ],
)
def test_a_name_is_shown_without_its_folders_and_tricks(name: str, shown: str) -> None:
    assert attachments.shown_name(name) == shown


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "x\\..\\..\\y", "a\r\nSet-Cookie: x=1"])
def test_a_name_leads_nowhere(console: Console, operator: Browser, name: str) -> None:
    kept = attachments.keep(console.instance, name, b"hello")

    assert kept.path == console.instance.config.artifacts / kept.id
    assert on_disk(console) == [kept.id]
    sent = operator.get(kept.shown()["url"], buffered=True)
    assert sent.data == b"hello"
    assert "Set-Cookie" not in sent.headers


def test_a_hundred_megabytes_are_refused_unread_and_leave_nothing(
    console: Console, operator: Browser
) -> None:
    body = Endless(HUNDRED_MB)

    answer = operator.post(
        ROUTE,
        content_type="multipart/form-data; boundary=x",
        headers={"Accept-Language": "en"},
        environ_overrides={"wsgi.input": body, "CONTENT_LENGTH": str(HUNDRED_MB)},
    )

    error = answer.get_json()["error"]
    assert (answer.status_code, error["code"]) == (413, "file_too_large")
    assert error["message"] == "The file is larger than 10 MB."
    assert (body.given, on_disk(console)) == (0, [])


def test_ten_megabytes_are_taken_and_a_byte_more_is_not(
    console: Console, operator: Browser
) -> None:
    whole = upload(operator, b"x" * attachments.MOST_BYTES)
    more = upload(operator, b"x" * (attachments.MOST_BYTES + 1))

    assert (whole.status_code, more.status_code) == (201, 413)
    assert on_disk(console) == [whole.get_json()["id"]]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"data": {"file": (io.BytesIO(b""), "a.txt")}}, "file_empty"),
        ({"data": {"file": "no file"}, "content_type": "multipart/form-data"}, "file_empty"),
        ({"data": {"other": (io.BytesIO(b"x"), "a")}}, "file_empty"),
        ({"data": b"x", "content_type": "multipart/form-data; boundary=y"}, "file_empty"),
        ({"json": {}}, "invalid"),
        ({}, "invalid"),
    ],
)
def test_what_is_no_file_is_refused(
    console: Console, operator: Browser, options: dict[str, Any], code: str
) -> None:
    answer = operator.post(ROUTE, **options)

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, code)
    assert on_disk(console) == []


def test_a_message_keeps_what_came_with_it(console: Console, operator: Browser) -> None:
    first, second = (upload(operator, picture(), f"{n}.png").get_json()["id"] for n in (1, 2))

    run = begin(operator, [first, second])

    assert run["status"] == 202
    said = operator.get(f"/api/agent/conversations/{run['conv_id']}").get_json()["messages"][0]
    assert [(each["id"], each["name"]) for each in said["attachments"]] == [
        (first, "1.png"),
        (second, "2.png"),
    ]
    with console.instance.db.read() as session:
        assert set(session.scalars(select(Artifact.run_id))) == {run["run_id"]}


def test_an_unknown_file_starts_nothing(console: Console, operator: Browser) -> None:
    mine = upload(operator, picture()).get_json()["id"]

    refused = begin(operator, [mine, "nosuchfile"])
    too_many = begin(operator, [mine] * 9)

    assert (refused["status"], refused["error"]["code"]) == (404, "not_found")
    assert (too_many["status"], too_many["error"]["path"]) == (400, "attachments")
    with console.instance.db.read() as session:
        assert session.scalar(select(func.count()).select_from(Run)) == 0
        assert session.scalar(select(Artifact.run_id)) is None


def test_a_file_that_was_not_sent_can_be_let_go_of(console: Console, operator: Browser) -> None:
    unsent, sent = (upload(operator, picture()).get_json()["id"] for _ in range(2))
    begin(operator, [sent])

    answers = [
        operator.send("DELETE", f"{ROUTE}/{each}").status_code for each in (unsent, sent, unsent)
    ]

    assert answers == [200, 409, 404]
    assert on_disk(console) == [sent]


def test_what_nobody_sent_goes_after_a_day_and_what_was_sent_by_age(
    console: Console, operator: Browser
) -> None:
    instance = console.instance
    unsent, sent = (upload(operator, picture()).get_json()["id"] for _ in range(2))
    run = begin(operator, [sent])
    used = retention.used_bytes(instance)

    retention.sweep(instance, utc_now() + timedelta(hours=23), days=30, gb=5)
    after_hours = on_disk(console)
    retention.sweep(instance, utc_now() + timedelta(hours=25), days=30, gb=5)
    after_a_day = on_disk(console)
    with instance.db.write() as session:
        row = session.get(Run, run["run_id"])
        assert row is not None
        row.ended = row.ended or utc_now()
    retention.sweep(instance, utc_now() + timedelta(days=31), days=30, gb=5)

    assert used >= 2 * len(picture())
    assert (after_hours, after_a_day, on_disk(console)) == (sorted([unsent, sent]), [sent], [])
    page = operator.get(f"/api/agent/conversations/{run['conv_id']}").get_json()
    assert [each["gone"] for each in page["messages"][0]["attachments"]] == [True]


def test_a_viewer_reads_and_adds_nothing(operator: Browser, viewer: Browser) -> None:
    kept = upload(operator, picture()).get_json()

    answer = upload(viewer, picture())

    assert answer.status_code == 403
    assert viewer.get(kept["url"], buffered=True).status_code == 200


def test_a_file_on_disk_is_not_reached_by_its_row_alone(
    console: Console, operator: Browser
) -> None:
    kept = upload(operator, picture()).get_json()
    Path(console.instance.config.artifacts / kept["id"]).unlink()

    assert operator.get(kept["url"]).status_code == 404
    assert attachments.of(console.instance, [kept["id"]]) == []
