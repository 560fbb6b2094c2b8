"""Know the packages behind the names that people say.

Only names whose package is fixed; several packages are the same app of different makers, and
the first that is installed is meant. Everything else is found by its label on the launcher.
"""

import re
from functools import lru_cache

from core.screen.selectors import squeeze

_NAMES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("settings", "设置", "系统设置"): ("com.android.settings",),
    ("chrome", "谷歌浏览器"): ("com.android.chrome",),
    ("browser", "浏览器"): (
        "com.android.browser",
        "com.android.chrome",
        "com.huawei.browser",
        "com.heytap.browser",
        "com.vivo.browser",
        "com.sec.android.app.sbrowser",
        "org.mozilla.firefox",
    ),
    ("camera", "相机", "照相机"): (
        "com.android.camera",
        "com.android.camera2",
        "com.google.android.GoogleCamera",
        "com.huawei.camera",
        "com.oplus.camera",
        "com.sec.android.app.camera",
    ),
    ("phone", "dialer", "电话", "拨号"): (
        "com.android.dialer",
        "com.google.android.dialer",
        "com.android.contacts",
    ),
    ("contacts", "通讯录", "联系人"): ("com.android.contacts", "com.google.android.contacts"),
    ("messages", "sms", "短信", "信息"): (
        "com.android.mms",
        "com.google.android.apps.messaging",
        "com.samsung.android.messaging",
    ),
    ("calculator", "计算器"): (
        "com.android.calculator2",
        "com.google.android.calculator",
        "com.miui.calculator",
        "com.sec.android.app.popupcalculator",
    ),
    ("calendar", "日历"): ("com.android.calendar", "com.google.android.calendar"),
    ("clock", "时钟", "闹钟"): ("com.android.deskclock", "com.google.android.deskclock"),
    ("gallery", "photos", "相册", "图库"): (
        "com.miui.gallery",
        "com.android.gallery3d",
        "com.coloros.gallery3d",
        "com.google.android.apps.photos",
        "com.sec.android.gallery3d",
    ),
    ("files", "文件管理", "文件"): (
        "com.android.fileexplorer",
        "com.google.android.documentsui",
        "com.android.documentsui",
    ),
    ("notes", "备忘录", "便签", "笔记"): (
        "com.miui.notes",
        "com.coloros.note",
        "com.example.android.notepad",
        "com.huawei.notepad",
        "com.android.notes",
        "com.samsung.android.app.notes",
    ),
    ("wechat", "微信"): ("com.tencent.mm",),
    ("qq",): ("com.tencent.mobileqq",),
    ("alipay", "支付宝"): ("com.eg.android.AlipayGphone",),
    ("taobao", "淘宝"): ("com.taobao.taobao",),
    ("jd", "京东"): ("com.jingdong.app.mall",),
    ("pinduoduo", "拼多多"): ("com.xunmeng.pinduoduo",),
    ("meituan", "美团"): ("com.sankuai.meituan",),
    ("eleme", "饿了么"): ("me.ele",),
    ("dianping", "大众点评"): ("com.dianping.v1",),
    ("douyin", "抖音"): ("com.ss.android.ugc.aweme",),
    ("kuaishou", "快手"): ("com.smile.gifmaker",),
    ("xiaohongshu", "小红书"): ("com.xingin.xhs",),
    ("bilibili", "哔哩哔哩", "b站"): ("tv.danmaku.bili",),
    ("weibo", "微博"): ("com.sina.weibo",),
    ("zhihu", "知乎"): ("com.zhihu.android",),
    ("amap", "高德地图", "高德"): ("com.autonavi.minimap",),
    ("baidu maps", "百度地图"): ("com.baidu.BaiduMap",),
    ("didi", "滴滴", "滴滴出行"): ("com.sdu.didi.psnger",),
    ("ctrip", "携程", "携程旅行"): ("ctrip.android.view",),
    ("12306", "铁路12306"): ("com.MobileTicket",),
    ("netease music", "网易云音乐"): ("com.netease.cloudmusic",),
    ("qq music", "qq音乐"): ("com.tencent.qqmusic",),
    ("wecom", "企业微信"): ("com.tencent.wework",),
    ("dingtalk", "钉钉"): ("com.alibaba.android.rimet",),
    ("feishu", "lark", "飞书"): ("com.ss.android.lark",),
    ("gmail",): ("com.google.android.gm",),
    ("google maps", "谷歌地图"): ("com.google.android.apps.maps",),
    ("youtube",): ("com.google.android.youtube",),
    ("play store", "google play", "应用商店"): (
        "com.android.vending",
        "com.xiaomi.market",
        "com.huawei.appmarket",
        "com.heytap.market",
        "com.bbk.appstore",
    ),
    ("whatsapp",): ("com.whatsapp",),
    ("telegram",): ("org.telegram.messenger",),
    ("facebook",): ("com.facebook.katana",),
    ("instagram",): ("com.instagram.android",),
    ("x", "twitter"): ("com.twitter.android",),
    ("tiktok",): ("com.zhiliaoapp.musically", "com.ss.android.ugc.trill"),
    ("spotify",): ("com.spotify.music",),
}

WELL_KNOWN = {squeeze(name): packages for names, packages in _NAMES.items() for name in names}


def _label(names: tuple[str, ...]) -> str:
    """Give what people call an app, in English and in Chinese where both are said."""
    english = [name.title() for name in names if name.isascii()]
    chinese = [name for name in names if not name.isascii()]
    return " / ".join([*english[:1], *chinese[:1]])


_LABELS = {
    package: _label(names) for names, packages in reversed(_NAMES.items()) for package in packages
}
#: The names of an app and the packages that have its label, as names are compared.
_TOGETHER = [
    frozenset(map(squeeze, (*names, label, *(each for each in packages if _LABELS[each] == label))))
    for names, packages in _NAMES.items()
    for label in [_label(names)]
]
_CALLED = {name: together for together in _TOGETHER for name in together}

#: Names that mean one app and nothing else; "设置" and "phone" are words of their own.
_BRANDS = {
    name: packages
    for names, packages in _NAMES.items()
    for name in names
    if len(name) > 1 and not any(package.startswith("com.android.") for package in packages)
}
_LONGEST_FIRST = "|".join(sorted(_BRANDS, key=len, reverse=True))
_BRAND = re.compile(rf"(?<![a-z0-9])(?:{_LONGEST_FIRST})(?![a-z0-9])", re.I)


@lru_cache(1_024)
def named_in(text: str) -> frozenset[str]:
    """List the packages of the well-known apps that a text names; "qq" in "qq音乐" is none."""
    named = (found[0].lower() for found in _BRAND.finditer(text))
    return frozenset(package for name in named for package in _BRANDS[name])


def label_of(package: str) -> str:
    """Give the name of a well-known app, empty for the others."""
    return _LABELS.get(package, "")


def called(app: str) -> frozenset[str]:
    """List the names and packages of a well-known app, squeezed; of any other just ``app``."""
    return _CALLED.get(squeeze(app), frozenset({squeeze(app)}))


def package_of(app: str, installed: frozenset[str]) -> str | None:
    """Find the installed package that ``app`` means.

    Args:
        app: A package, or a name as people say it.
        installed: The phone's packages.

    Returns:
        None when the name is not well known or nothing of it is installed.
    """
    if app in installed:
        return app
    known = WELL_KNOWN.get(squeeze(app), ())
    return next((package for package in known if package in installed), None)
