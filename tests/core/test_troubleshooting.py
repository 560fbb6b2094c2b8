"""The table of faults that the product began with is kept word for word, in guide and catalogue."""

from core.errors import ConsoleError, DeviceBusy, McpUnreachable, NoDevice
from core.words import error_words, phrase
from tests.stack import ROOT

#: What is seen, what it comes from and what to do; the last row's file has another name here.
ROWS = (
    "| 报「MCP server(8033) 不可达」 | MCP 没启动：容器由 start.sh 拉起；"
    "本机手动 `MCP_ALLOW_WRITE=1 python -m mcp_server.mcp_server` |",
    "| 报模型 API 401 | API Key 无效/过期 → ⚙ 配置重填 |",
    "| 报“请先选择目标设备” | 没选设备且没配默认设备 |",
    "| 报“设备正在执行任务…”（409） | AI 不与任务抢设备：等任务结束，或去监控页停止该任务 |",
    "| 没有 token 数字 | 该网关不支持 stream_options.include_usage（已自动降级，功能不受影响） |",
    "| 经验/动作没沉淀 | 只有成功执行过工具才会蒸馏；"
    "看 logs/web.log 的「经验提炼 / 动作提炼」日志 |",
    "| 推理链看不到 | 模型未返回 reasoning_content（非推理模型），或本轮没有推理输出 |",
    "| 界面样式/脚本异常 | 强刷浏览器（Ctrl+Shift+R）",
)


def said(error: ConsoleError) -> str:
    words = error.words("zh")
    return f"{words.message}{words.hint}"


def test_the_guide_has_every_row() -> None:
    guide = (ROOT / "docs" / "guide.zh-CN.md").read_text(encoding="utf-8")

    assert [row for row in ROWS if row not in guide] == []


def test_the_console_says_what_the_table_explains() -> None:
    mcp = said(McpUnreachable(url="http://127.0.0.1:8033/mcp"))
    key = error_words("model_auth", "zh", {})
    busy = said(DeviceBusy(serial="A1", holder="任务"))

    assert "MCP server(8033) 不可达" in mcp
    assert "MCP_ALLOW_WRITE=1 python -m mcp_server.mcp_server" in mcp
    assert "401" in key.message
    assert "API Key 无效" in key.message
    assert "请先选择目标设备" in said(NoDevice())
    assert "设备正在执行任务" in busy
    assert "AI 不与任务抢设备：等任务结束，或去监控页停止该任务" in busy
    assert DeviceBusy.status == 409


def test_the_findings_about_a_model_say_it_too() -> None:
    usage = phrase("finding.usage.none", "zh")
    reasoning = phrase("finding.reasoning.none", "zh")

    assert "该网关不支持 stream_options.include_usage（已自动降级，功能不受影响" in usage
    assert "模型未返回 reasoning_content（非推理模型），或本轮没有推理输出" in reasoning
