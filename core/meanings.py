"""Know which words of phone jobs mean the same in Chinese and in English.

What was learned in one language is found by who asks in the other. The table has what people say
of phones, a meaning a line; the names of apps are `core.devices.apps`'s. A word may mean more than
one thing, and of words within one another only the longest counts.
"""

import re
from collections import defaultdict

from core.similar import Weigh, alike, spoken

_SAID = """
打开 启动 进入 | open launch start
关闭 关掉 停用 | turn_off switch_off off disable close
开启 启用 打开 开一下 | turn_on switch_on enable activate
查看 看看 看一下 查一下 | check view see show look_at
搜索 搜一下 搜 查找 查询 | search look_up look_for search_results
找到 | find locate
发送 发给 发一条 发个 发 | send
回复 | reply answer
转发 | forward
分享 | share
删除 删掉 移除 清除 | delete remove clear erase
添加 新增 加入 加到 | add
新建 创建 建一个 | create new make_a
编辑 修改 更改 改成 改为 | edit change modify rename
设置为 设为 设成 | set
保存 | save
复制 | copy
粘贴 | paste
下载 | download
上传 | upload
安装 | install
卸载 | uninstall
更新 升级 | update upgrade
登录 登陆 | log_in login sign_in
退出登录 登出 | log_out sign_out logout
购买 买 | buy purchase
下单 | order place_an_order checkout
支付 付款 | pay
预订 预定 订 | book reserve
取消 | cancel
播放 放一首 | play
暂停 | pause
录制 录 | record
拍照 拍一张 | take_a_photo take_a_picture
截图 截屏 | screenshot
拨打 打电话 呼叫 | call dial
接听 | answer_the_call pick_up
静音 | mute silent
导航 | navigate navigation directions
翻译 | translate
扫描 扫一扫 | scan
收藏 | favorite favorites favourite favourites
点赞 | like upvote
评论 | comment comments review reviews
关注 | follow subscribe
取消关注 | unfollow unsubscribe
加好友 | add_friend
签到 | check_in
阅读 读 | read
写 撰写 | write compose
整理 排序 | sort
筛选 | filter
计算 算一下 | calculate compute
比较 对比 | compare
连接 | connect
断开 | disconnect
重启 | restart reboot
滑动 滚动 | scroll swipe
返回 | go_back
备份 | backup back_up
同步 | sync
清空 | empty
设置 | settings
无线网络 无线 | wifi wireless
蓝牙 | bluetooth
飞行模式 | airplane_mode flight_mode
移动数据 流量 | mobile_data cellular
热点 | hotspot
位置 定位 | location gps
亮度 | brightness
音量 | volume
铃声 | ringtone
壁纸 | wallpaper
深色 暗色 | dark_mode dark_theme
字体 | font
语言 | language
电池 电量 | battery
省电 | battery_saver power_saving
存储 | storage
屏幕 | screen display
锁屏 | lock_screen screen_lock
密码 | password passcode
指纹 | fingerprint
通知 | notification notifications alert alerts
权限 | permission permissions
隐私 | privacy
账号 账户 | account
个人资料 个人信息 主页 | profile
头像 | avatar profile_photo profile_picture
用户 | user
消息 | message messages
短信 | sms text_message text_messages
验证码 | verification_code
邮件 邮箱 | email mail emails
附件 | attachment attachments
联系人 通讯录 | contact contacts
号码 | number
电话 | phone_call phone_calls
好友 朋友 | friend friends
朋友圈 | moments
语音 | voice audio
视频 | video videos
音乐 | music
歌曲 歌 | song songs track
歌单 | playlist
专辑 | album
歌手 | singer artist
播客 | podcast podcasts
电影 | movie movies film
照片 图片 | photo photos picture pictures image images
相册 | gallery
相机 | camera
录音 | recording recorder
文件 | file files
文件夹 | folder directory
文档 | document documents
笔记 便签 备忘录 | note notes
待办 任务 | task tasks todo
日历 | calendar
日程 事件 行程 | event events schedule
会议 | meeting meetings
提醒 | reminder reminders remind
闹钟 | alarm alarms
时钟 | clock
计时器 倒计时 | timer countdown
秒表 | stopwatch
计算器 | calculator
天气 | weather
温度 | temperature
地图 | map maps
路线 | route
附近 | nearby near_me
餐厅 餐馆 饭店 | restaurant restaurants
酒店 | hotel hotels
机票 航班 | flight flights
火车票 火车 高铁 | train
打车 | taxi ride cab
公交 | bus
地铁 | subway metro
外卖 | takeaway delivery takeout
咖啡 | coffee
购物车 | shopping_cart cart
商品 | product products item items
订单 | order orders
优惠券 | coupon coupons
价格 | price prices
便宜 | cheap cheapest
销量 | best_selling sales
快递 物流 | package parcel shipping
地址 | address
红包 | red_packet
余额 | balance
账单 | bill bills
发票 | invoice
收入 | income
支出 消费 | expense expenses spending
步数 | steps
运动 锻炼 | exercise workout activity activities
睡眠 | sleep
心率 | heart_rate
新闻 | news
文章 | article articles
帖子 | post posts
热搜 热榜 | trending hot_topics
直播 | live_stream livestream
图书 一本书 电子书 | book books
小说 | novel novels
食谱 菜谱 | recipe recipes
游戏 | game games
浏览器 | browser
网页 网站 | website web_page site
书签 | bookmark bookmarks
历史 历史记录 | history
缓存 | cache
应用 软件 | app application apps
版本 | version
简历 | resume cv
股票 | stock stocks
汇率 | exchange_rate
单词 | word words
所有 全部 | all every
最新 | latest newest most_recent
最近 | recent recently
第一 | first
最后 | last
今天 | today
明天 | tomorrow
昨天 | yesterday
本周 这周 | this_week
周末 | weekend
早上 | morning
下午 | afternoon
晚上 | evening tonight
手机 | phone cellphone
电脑 | computer laptop
"""
#: Meanings tell less than words do: however alike, two sentences are no more so than this.
ACROSS = 0.7
ENOUGH = 4  # meanings that both speak of; with fewer it takes more likeness
_LINES = [line.replace("|", " ").split() for line in _SAID.strip().splitlines()]
ABOVE = 1 << 42
LONGEST = 5  # signs, or words in Latin letters, of what is said
WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def _of_words() -> dict[str, frozenset[int]]:
    known: defaultdict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(_LINES):
        for word in line:
            known[word.replace("_", "")].add(number)
    return {word: frozenset(numbers) for word, numbers in known.items()}


_WORDS = _of_words()


def meanings(text: str) -> frozenset[int]:
    """Say what a text speaks of, each meaning by its number; the longest word counts first."""
    signs = WORD.findall(text.lower())
    found: set[int] = set()
    at = 0
    while at < len(signs):
        length = _length(signs[at : at + LONGEST])
        found |= _WORDS.get("".join(signs[at : at + length]), frozenset())
        at += length
    return frozenset(found)


def _length(signs: list[str]) -> int:
    """Say how many signs the longest word has that they begin with; 1 for none."""
    lengths = range(len(signs), 1, -1)
    return next((length for length in lengths if "".join(signs[:length]) in _WORDS), 1)


def marks(text: str) -> frozenset[int]:
    """Give what a text speaks of, in its own language, as signs that no pair of `similar` is."""
    return _marked(text, spoken(text) == "en")


def sought(request: str) -> frozenset[int]:
    """Give the `marks` of what a request speaks of, as the other language has them."""
    return _marked(request, spoken(request) != "en")


def alike_across(one: frozenset[int], other: frozenset[int], weigh: Weigh) -> float:
    """Compare two sentences in two languages by their marks, 0 to `ACROSS`."""
    return ACROSS * alike(one, other, weigh) * min(1.0, len(one & other) / ENOUGH)


def _marked(text: str, is_english: bool) -> frozenset[int]:
    return frozenset(ABOVE | number << 1 | is_english for number in meanings(text))
