"""The words by which an act that cannot be taken back is known, in Chinese and English.

Each kind has the words that a control carries which does the thing, and what around them means
that it only speaks of the thing: "已支付" is a state, "Order history" a list. Patterns are read
against one label at a time, squeezed and in lower case.
"""

import re
from dataclasses import dataclass

#: No control says its act in more characters than these; longer texts tell something.
LONGEST_ZH, LONGEST_EN = 16, 40

NOT_ZH = r"(?<!已)(?<!待)(?<!未)(?<!不)(?<!可)(?<!会)(?<!被)(?<!再)(?<!最近)"
#: What follows a verb where it is a noun, a list, a setting or a state.
THING_ZH = (
    r"(?!方式|设置|管理|记录|历史|成功|完成|失败|结果|中$|时间|密码|安全|账单|明细|详情|状态|须知|协议"
    r"|说明|帮助|指南|教程|码$|宝|包$|位置|服务|助手|提醒|通知|规则|条款|进度|列表|箱|站|人数|设备|后)"
)


#: What may stand before the verb: a politeness, or another verb that this one is joined to.
BEFORE = (
    r"please |ok,? |yes,? |now |(?:tap|swipe|slide|continue|proceed|click) to "
    r"|confirm (?:and |& |to )?|(?:review|agree|accept|continue|verify|save|sign) ?(?:and|&|\+) "
    r"|(?:a|g|google|apple) (?=pay$)"
)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one kind of act; ``screen`` says that they taint a whole screen."""

    kind: str
    zh: str
    en: str
    screen: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """Give the pattern that a control's label is searched with."""
        chinese = rf"{NOT_ZH}(?:{self.zh}){THING_ZH}"
        english = rf"^(?:{BEFORE})*(?:{self.en})(?:\b|$)"
        return re.compile(f"{chinese}|{english}")


#: A sum of money; by itself on a control it is what pressing it costs.
MONEY = (
    r"(?:(?:[$€£¥₩₹]|(?:us|hk|nt)\$|usd|cny|rmb) ?\d[\d,.]*|\d[\d,.]* ?(?:元|円|€|usd|eur|cny|rmb))"
)
PRICE = re.compile(rf"(?:from |only |仅需|只需)?{MONEY}(?: ?/ ?\w+)?")

LEXICON = (
    Words(
        "pay",
        r"支付|付款|付費|付费|缴费|充值|打赏|买单|续费|(?:立即|确认|马上)开通|开通会员|自动续费|扣款|应付|确认收货"
        r"|^付$",
        r"pay(?: now| with| by| \S*\d|$)|payment$|(?:make|send|authori[sz]e|submit) payment"
        r"|top.?up|subscribe|start (?:free )?trial|checkout(?: now)?$|renew(?: now|$)|donate|tip$"
        r"|buy (?:now|for)|(?:(?:complete|make) )?(?:your )?purchase$|(?:1|one).?(?:tap|click) buy"
        rf"|get \(?{MONEY}",
        screen=True,
    ),
    Words(
        "order",
        r"提交订单|确认订单|下单|立即购买|确认购买|立即抢购|去结算|结算$|预订|立即预约|一键购买|拼单$|立即参团"
        r"|发起拼单",
        r"(?:place|submit|complete|confirm|send)(?: your)? order$|order(?: now|$)|buy$|buy it"
        r"|place (?:your )?order|proceed to (?:checkout|pay)"
        r"|book(?: now|$)|reserve(?: now|$)|bid$|checkout",
        screen=True,
    ),
    Words(
        "transfer",
        r"转账|提现|汇款|发红包|塞钱进红包|赎回|买入|卖出|确认转出|转出",
        r"transfer(?: now| money|$)|withdraw(?:$| money| cash)|sell(?: now|$)|redeem$|remit$"
        rf"|send (?:money|{MONEY})",
        screen=True,
    ),
    Words(
        "send",
        r"发送|传送|发出|群发|转发|寄出|回复$|提交$",
        r"send(?: now| message| sms| mms| email| it|$)|reply(?: all|$)|forward$|submit$",
        screen=True,
    ),
    Words(
        "publish",
        r"发布|发表|发帖|公开分享|分享到",
        r"post(?: now| it|$)|publish(?: now|$)|tweet$|share (?:now|publicly)|go live",
        screen=True,
    ),
    Words(
        "delete",
        r"删除|清空|永久移除|移除|抹掉|清除(?:全部|所有|数据)|退出群聊|解散|注销账[号户]|撤销",
        r"delete(?: \w+){0,3}$|remove(?: \w+){0,3}$|erase(?: \w+){0,3}$|clear (?:all|data|history)"
        r"|empty (?:trash|bin)|discard$|leave group",
    ),
    Words(
        "install",
        r"安装$|立即安装|继续安装|仍然安装|卸载|下载并安装|立即更新|更新$",
        r"install(?: now| anyway| app|$)|uninstall(?: app| updates|$)|update(?: now| all|$)",
    ),
    Words(
        "grant",
        r"允许|授权|同意并继续|始终信任|信任此|仅在使用(?:中|期间|该应用时)允许|激活此设备管理",
        r"allow(?: all| only| once| while| access| usb|$)|while using (?:the|this) app"
        r"|only this time|grant(?: access|$)|trust(?: this| anyway|$)|authori[sz]e$|activate$",
    ),
    Words(
        "log_in",
        r"登录|登陆|登入|注册|退出登录|本机号码一键",
        r"log ?in(?: now| with|$)|sign ?in(?: now| with|$)|sign ?up(?: now|$)|register$"
        r"|log ?out$|sign ?out$|create account",
    ),
    Words(
        "call",
        r"拨打|立即呼叫|呼叫$|视频通话|语音通话",
        r"call(?: now| back|$)|dial$|video call|voice call|emergency call",
    ),
    Words(
        "reset",
        r"恢复出厂(?:设置)?|格式化|重置(?:手机|网络|所有|全部|$)|关机|解除绑定|解绑",
        r"factory reset|reset (?:phone|all|network|settings)|format(?: \w+)?$|power off|shut ?down"
        r"|wipe(?: \w+){0,2}$|unpair$",
    ),
)
KINDS = tuple(words.kind for words in LEXICON)

#: Where a finger must move to do it: the words beside a slider.
SLIDE = re.compile(
    r"(滑动|右滑|左滑|向右滑|拖动).{0,6}(支付|付款|确认|下单|转账)|(slide|swipe) to \w+"
)
#: A screen on which single digits are the last thing between a person and a payment.
PAY_PIN = re.compile(r"(支付|付款|交易)密码|payment (pin|password)|enter (?:your )?pin to pay")
#: A field that looks for something; enter in it sends nothing.
SEARCH = re.compile(r"搜索|搜一搜|查找|网址|search|find|address ?bar|url")
#: Labels that say yes to whatever the screen asks.
YES = re.compile(
    r"(确定|确认|好|好的|是|是的|继续|同意|仍要继续|我知道了,继续)[!。]?"
    r"|(ok|okay|yes|confirm|continue|accept|agree|i agree|proceed)[!.]?"
)
#: Labels that mostly only go on; where it is about money, they say yes as well.
GO_ON = re.compile(r"(下一步|我?知道了|完成)[!。]?|(next|got it|done)[!.]?")
MONEY_KINDS = ("pay", "order", "transfer")
#: What a sentence says that a "yes" would do; its Chinese is read with the patterns above.
SENTENCES = {
    "pay": r"pay|charged?|purchase|subscribe|payment",
    "order": r"place (?:an |the |this |your )?order|(?:order|book) (?:it|this|now)",
    "transfer": r"transfer|withdraw",
    "send": r"send|submit|forward",
    "publish": r"post|publish",
    "delete": r"delete|remove|erase|clear|discard",
    "install": r"(?:un)?install|update",
    "grant": r"allow|grant|permission",
    "log_in": r"(?:log|sign) (?:in|out|up)",
    "call": r"call|dial",
    "reset": r"reset|format|wipe|shut down|power off",
}
#: Longer texts tell a story and ask nothing.
LONGEST_SENTENCE = 160
#: Words in the resource id of a control that has no words of its own.
IDS = {
    "pay": "pay|payment|checkout|purchase|buy",
    "order": "order",
    "transfer": "transfer|withdraw",
    "send": "send|submit|reply",
    "publish": "publish|post",
    "delete": "delete|remove|erase|trash",
    "install": "install|uninstall",
    "grant": "allow|grant",
    "call": "call|dial",
    "reset": "reset|wipe",
}
#: Letters of other alphabets that look like Latin ones, and what a person reads.
ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχ",
    "ABESIJKMHOPCTYXaesijopcyxABEZHIKMNOPTYXaikvoptux",
)
#: Traditional characters of these words, and the simplified ones that they are read as.
SIMPLE = str.maketrans(
    "刪發轉賬帳購買單結費繳訂裝載許權錄撥號復廠設關機網絡傳紅錢進開會員續賞認確時遠塊視頻話語註冊銷戶總務論後統訴",
    "删发转账账购买单结费缴订装载许权录拨号复厂设关机网络传红钱进开会员续赏认确时远块视频话语注册销户总务论后统诉",
)
#: Addresses that do something by being opened.
SCHEMES = {
    "tel": "call",
    "sms": "send",
    "smsto": "send",
    "mms": "send",
    "mmsto": "send",
    "mailto": "send",
    "market": "install",
    "upi": "pay",
    "alipay": "pay",
    "alipays": "pay",
    "alipayqr": "pay",
    "weixin": "pay",
    "wxpay": "pay",
    "intent": "open",
    "content": "open",
    "file": "open",
}
