"""Words and patterns by which `core.memory.people` knows a name and what somebody is told.

In a mark ``{name}`` is the place of the name, so braces of other meanings are doubled.
"""

import re

#: Surnames of nine in ten people in China, and those of two signs.
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖萧"
    "田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅"
    "方白邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向"
    "汤温康施葛文樊牛殷邢翟倪鲁季俞章岳齐梅庄辛管祝左涂霍翁耿关兰焦柳甘欧"
    "尚舒阮柯"
)
DOUBLE = "欧阳|司马|上官|诸葛|司徒|东方|皇甫|尉迟|慕容|令狐|宇文|长孙|夏侯|端木"
TITLES = (
    "总|哥|姐|叔|姨|爷|老师|医生|经理|先生|女士|小姐|师傅|阿姨|律师|教授|同学"
    "|主任|老板|大夫|教练|队长"
)
HAN_NAME = (
    rf"(?:(?:{DOUBLE})[\u4e00-\u9fff]{{1,2}}?|[小老阿大][{SURNAMES}明强芳丽伟刚华军]"
    rf"|(?:{DOUBLE}|[{SURNAMES}])(?:{TITLES})|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
)
#: Words that begin like a name and are none.
NO_NAMES = re.compile(
    r"何[时地种人处]|高[清德铁级中考速]|方[法案式便向]|白[天色]|黄[色金页山河]|金[额币华山]|马[上路克桶]"
    r"|任[务何意]|万[一达能]|成[功员]|温[度馨州]|于[是我你他她]|文[件字档本章心艺]|钱包?|江[苏西南北]"
    r"|关[于闭注机联]|毛[衣巾]|周[末边一二三四五六日]|钟头?|龙[虎]|大[家王]|小[王]子|老[王]板|程序"
    r"|许可|许[多]|向[上下左右]|雷[达]|段[落]|康[复]|管[理家]|尚[未]|顾客|施工|史[上]|左[边侧上下]"
    r"|夏[天季]|石[头]|唐[山装]|苏[州宁]|梅[州西]|欧[洲元]|牛[奶肉]|余[额票下]|贺[卡]"
)
LATIN_NAME = r"[A-Z][A-Za-zÀ-ÿ'’-]*[a-zÀ-ÿ](?:\s+[A-Z][A-Za-zÀ-ÿ'’-]*[a-zÀ-ÿ]){0,2}"
#: As somebody is called in a sentence in Chinese, perhaps with one Chinese sign at the end.
LATIN_IN_HAN = (
    r"[A-Za-z][A-Za-z]{1,15}(?:\s[A-Z][a-z]+)?"
    r"(?:(?![并和跟及与的发给说去把让])[\u4e00-\u9fff])?(?![A-Za-z0-9@])"
)
#: Words that follow the same words as a name does.
NO_ONE = frozenset(
    """
    i me my the a an all any this that it them him her us myself everyone everybody friends mom mum
    dad monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december settings home app store support customer
    service google gmail facebook instagram twitter telegram whatsapp slack discord signal zoom
    teams outlook chrome reddit linkedin pinterest dropbox evernote mastodon mattermost markor
    spotify youtube notes keep drive photos messenger sms simple bluetooth email mail inbox spam
    archive trash wechat weixin qq tiktok uber amazon netflix taodian tasks calendar clock maps map
    contacts phone messages favorites group english chinese github download downloads documents hr
    ai apple iphone android samsung huawei vlc pro text clients team siri
    """.split()  # noqa: SIM905 - a list of a hundred quoted words says no more
)
#: Commands that begin a sentence, and so with a capital, right before a name.
COMMANDS = re.compile(
    r"^(?:Add|Call|Change|Check|Copy|Delete|Edit|Find|Forward|Get|Modify|Open|Read|Remove|Reply"
    r"|Send|Set|Share|Show|Tell|Text|Update|View)\s+(?=[A-Z])"
)
#: What people are to somebody; it names nobody.
ROLES = re.compile(
    r"我|你|他|她|它|咱|大家|自己|对方|客服|商家|卖家|店家|骑手|司机|妈|爸|老婆|老公|妻子|丈夫"
    r"|同事|朋友|家人|好友|群|机器人|助手|电脑|空间|联系人|邮箱|手机"
)
RELATION = (
    r"(?:微信|QQ|钉钉|飞书|手机|小红书)?(?:里的?|的|上的?)?(?:我的?)?"
    r"(?:联系人|好友|朋友|同事|同学|室友|客户|老板|群友)?\s*"
)
#: A name that is quoted must be all of what is quoted.
ZH_NAME = "(?P<q>[「『“\"‘'])?(?P<who>{name})(?(q)[」』”\"’'])"
EN_NAME = "(?P<q>[\"“'‘])?(?P<who>{name})(?(q)[\"”'’])"
#: What comes after a name: an end, a verb, a time, another name.
THEN = (
    r"(?=\s*(?:$|[，,。.;；！!？?、\s)）…0-9的和跟及与并@]|发|打|回|说|问|询|转|留|分享|聊|视频|语音"
    r"|写|传|拨|寄|送|点|推荐|介绍|道|拜|通话|电话|微信|消息|短信|我|你|他|她|今[天晚早]|明[天晚早]"
    r"|后天|晚上|早上|[上下][午班周]|周|会议|开会|别|不|请|让|去|来|把|到|在|加|为))"
)
ZH_MARKS = (
    rf"(?:给|跟|和|向|对|与|替|帮|让|叫|约|找|同){RELATION}{ZH_NAME}"
    r"(?=\s*的?(?:微信|QQ|手机)?(?:发(?!现)|打(?!开)|回|说(?!明)|问|转|留言|分享|聊|视频|语音|写"
    r"|传|拨|寄|送|道歉|拜年|点赞|通话|充|汇))",
    r"(?:发|转|转发|发送|分享|寄|送|电话|消息|短信|汇|转账|推荐|拨|回|递|留言|抄送)"
    rf"[^，。；\n]{{{{0,30}}}}?给{RELATION}{ZH_NAME}{THEN}",
    r"(?:告诉|告知|通知|联系(?!人)|呼叫|致电|提醒|询问|邀请|拉黑|私信|回复|拨打|电话给|消息给|发给)"
    rf"{RELATION}{ZH_NAME}{THEN}",
    r"(?:联系人|收件人|收货人|寄件人|收信人|预[订定]人|好友|群友|姓名|名字|用户|客户|乘客)"
    rf"(?:是|为|叫)?[:：]?\s*{ZH_NAME}{THEN}",
    rf"(?:和|跟|与){RELATION}{ZH_NAME}的(?:聊天|对话|会话|消息|短信|通话)",
    rf"(?:新建|添加|删除|修改|查看|查找|打开){ZH_NAME}"
    r"的?(?:联系人|电话|号码|聊天|微信|对话|短信)",
)
VERB_BEGINS = r"(?:^|[.;:!?,(]\s*|\b(?:and|then|to|please|or|you|not|just)\s+)"
KIN = (
    r"(?i:(?:my|our)\s+)?(?i:(?:best\s+)?(?:friend|boss|colleague|roommate|brother|sister|wife"
    r"|husband|contacts?)\s+)?"
)
EN_MARKS = (
    rf"{VERB_BEGINS}(?i:(?:video )?call|dial|ring|message|text|e-?mail|whatsapp|dm|ping|remind"
    rf"|tell|notify|invite|ask|contact|facetime)\s+{KIN}{EN_NAME}",
    r"\b(?i:send|sent|resend|resent|forward|share|reply|respond|write|speak|talk|pay|transfer"
    rf"|delivered)\b[^.;\n]{{{{0,80}}}}?\b(?:to|with)\s+{KIN}{EN_NAME}",
    rf"{VERB_BEGINS}(?i:mail|e-?mail|text|message|call|chat|meet)\b[^.;\n]{{{{0,80}}}}?"
    rf"\b(?:to|with)\s+{KIN}{EN_NAME}",
    r"\b(?i:send)\s+(?P<who>{name})\s+(?:a|an|the|my)\b",
    r"\b(?P<who>{name})['’]s\s+(?:\w+\s+){{0,2}}"
    r"(?:phone|number|e-?mails?|contact|resume|birthday|nickname|messages?|chat)\b",
    r"\b(?i:messages?|e-?mails?|mails?|texts?|calls?|sms|chats?|conversations?|invitations?"
    rf"|meeting|lunch|dinner)\s+(?:from|with|by)\s+{KIN}{EN_NAME}",
    r"\b(?i:contacts?|friend|colleague|roommate|recipient)"
    r"(?:\s+(?:named|called|for|is|as|whose name is))?(?:\s+with the name)?:?\s+"
    rf"{EN_NAME}",
    rf"\b(?i:add)\s+{EN_NAME}(?=[^.\n]{{{{0,60}}}}?\b(?:as|to)\s+(?:a\s+|an\s+|my\s+|the\s+)?"
    r"(?:\w+\s+)?(?:contacts?|group|channel|chat)\b)",
    r"\b(?i:contacts?\b[^.\n]{{0,60}}?(?:first name|last name|name) is|last name is)\s+"
    rf"{EN_NAME}",
)
#: Names of a chat's members, where there is a chat; elsewhere they are accounts.
AT = rf"(?<![\w.@])@{ZH_NAME}"
#: Another name after one that was found.
NEXT_ZH = rf"[」』”\"’']?\s*(?:、|,|，|和|跟|与|及)\s*{ZH_NAME}{THEN}"
NEXT_EN = rf"[\"”'’]?\s*(?:,\s*(?:and\s+)?|\band\s+|&\s*){EN_NAME}"

#: Somebody is told something in such a sentence.
TELLS = re.compile(
    r"消息|短信|信息|私信|微信|邮件|QQ|回复|告诉|告知|留言|发给|分享给|转发给|私聊|通知"
    r"|(?:给|跟|对|向).{1,12}[发说回]"
    r"|\b(?:messages?|sms|e-?mail|mail|reply|respond to|response to|whatsapp|telegram|chat|tell|dm"
    rf"|inform)\b|{VERB_BEGINS}text\b|\btext message\b|\bsend\b",
    re.IGNORECASE,
)
CHAT = re.compile(rf"群|聊天|{TELLS.pattern}", re.IGNORECASE)
#: Where such a sentence goes on to something else, when what is said stands in no quotes.
GOES_ON = (
    r"(?=$|[。；;\n”」\"]|[，,]\s*(?:然后|接着|再|最后|并|等|发送|打开|返回)|[.!?](?:\s|$)"
    r"|,?\s+(?:and )?then\b|\s+(?:in|using|via|on|through)\s+(?:the\s+)?[A-Z]|,?\s+but\b)"
)
ANY_QUOTED = (
    r"(?:「(?P<a>[^「」]+)」|『(?P<b>[^『』]+)』|“(?P<c>[^“”]+)”|‘(?P<d>[^‘’]+)’|\"(?P<e>[^\"]+)\""
    r"|(?<![A-Za-z0-9])'(?P<f>[^\n]+?)'(?![A-Za-z0-9]))"
)
SAID = (
    r"(?:内容(?:为|是)?|回复|留言|发(?:送|一?条)?(?:消息|短信|微信|信息|私信)?|说|问|询问|道)"
    rf"(?:他|她|对方|一?句)?[:：，,]?\s*{ANY_QUOTED}",
    r"(?:内容(?:为|是)|(?<![小述解学传])说(?![明法])|回复(?:他|她|对方)?[:：]|留言[:：]"
    r"|(?:消息|短信|微信|信息)[:：])[:：]?\s*"
    rf"(?P<a>[^「『“‘'\"\s][^「『“\"\n]*?){GOES_ON}",
    r"\b(?i:saying|says?|(?:message|text|content|sms|reply|respond to|tell|telling|inform\w*)"
    r"(?:(?!\b(?:subject|titled?|named|called|file|attachment)\b)[^'\"“.\n]){0,40}?)[:\s]*"
    rf"{ANY_QUOTED}",
    r"\b(?i:saying(?: that)?|(?:with|incorporating|include|integrating) the (?:following )?"
    r"(?:message|content|text)|with message|(?:tell|message|text|e-?mail) (?:my|our) \w+ that"
    r"|message:|whose content is|(?:to tell|telling|tell) (?:him|her|them)(?: that)?)[:\s]\s*"
    rf"(?P<a>[^'\"“\s](?:[^'\"“\n]|(?<=\w)['’](?=\w))*?){GOES_ON}",
    rf"\b(?i:send)\s+{ANY_QUOTED}\s+to\b",
)
#: What those are told who were found.
TOLD = (
    r"(?:(?:告诉|告知|通知|提醒)(?:{who})[，,:：]?|(?:{who})[:：])\s*"
    rf"(?P<a>[^，,。；\n\s][^\n]*?){GOES_ON}",
    r"\b(?i:(?:tell|inform|remind|notify)\s+(?:{who})\s+(?:that\s+|to\s+)?"
    r"|(?:text|message|e-?mail)\s+(?:{who})\s+that\s+|(?:{who}):\s+)"
    rf"(?!(?:via|by|through|about|using|with|on|in)\b)(?P<a>[^\n]*?){GOES_ON}",
)
#: What stands before a text that somebody is told.
BEFORE_SAID = (
    r"(?<!搜索)(?<!搜)(?:内容[为是]|说|回复|留言|[:：]|\bsaying|\bmessage|\bcontent|\breply with)"
    r"\W*\s*"
)
SENTENCE = re.compile(r"[。；;\n]|(?<=\w)[.!?](?=\s|[A-Z]|$)")
