"""The closed word lists of the excerpt check: negations, causes, levels, states, comparators, light and generic words.

Decides: which words carry a fact that an excerpt may not change, and which words say nothing. Refuses: to guess; a
word that is in no list is plain wording. All forms are lower case and in simplified Chinese, as the normal form has
them; English and Chinese forms of one row say the same. Protocol: section 6.1, steps 0, 2 and 5.
"""

NEGATIONS = frozenset({"not", "no", "never", "without", "cannot", "nor", "neither", "cant", "dont", "wont"})
"""English words that negate what follows; a word that ends in `n't` does too."""

NEGATING_PHRASES = frozenset(
    {
        ("failed", "to"), ("fails", "to"), ("fail", "to"), ("failing", "to"), ("unable", "to"), ("refused", "to"),
        ("refuses", "to"), ("declined", "to"), ("instead", "of"), ("rather", "than"),
    }
)  # fmt: skip
"""Two words that turn round what follows directly: cutting behind them says the opposite."""

NEGATIONS_ZH = frozenset("未没不无非勿")
"""Chinese characters that negate what follows."""

NEGATING_PHRASES_ZH = (
    "没有", "未能", "无法", "不能", "不会", "不是", "不可", "不再", "不得", "不曾", "不必", "并未", "并非", "并不",
    "未曾", "未被", "没能", "没被", "从未", "尚未", "无需", "无须", "拒绝", "禁止", "不要", "不应", "不应该",
    "不需要", "不允许", "不许", "不宜", "不太", "不够", "不足以", "切勿", "未必", "未经",
)  # fmt: skip
"""Chinese phrases that turn round what follows directly."""

NOT_NEGATIONS_ZH = (
    "不断", "不同", "不仅", "不但", "不久", "不过", "不少", "不管", "不等", "非常", "无论", "无线", "未来", "除非",
    "差不多",
)  # fmt: skip
"""Words in which such a character negates nothing."""

CAUSES = (
    "because", "due to", "owing to", "thanks to", "caused by", "causes", "caused", "cause", "causing",
    "as a result of", "result of", "led to", "leads to", "lead to", "leading to", "results in", "resulted in",
    "resulting in", "triggered by", "attributed to", "on account of", "root cause", "stems from", "so that",
    "therefore", "因为", "由于", "导致", "造成", "引发", "引起", "致使", "起因", "根因", "归因于", "原因是", "使得",
    "因此", "所以", "源于",
)  # fmt: skip
"""Words that say why (each form one row: they are compared as one kind of fact)."""

LEVELS = (
    ("error", "err", "errors", "错误"),
    ("warn", "warning", "warnings", "警告"),
    ("info", "information", "信息"),
    ("debug", "调试"),
    ("trace",),
    ("fatal", "致命"),
    ("critical", "crit", "严重"),
    ("emerg", "emergency", "紧急"),
    ("notice",),
    ("normal", "正常"),
    ("severe",),
)
"""Levels of records and events, forms of one level in a row."""

STATES = (
    ("firing", "触发中", "正在触发"),
    ("resolved", "已恢复", "已解除", "恢复"),
    ("pending", "待定", "挂起"),
    ("suppressed", "silenced", "inhibited", "已抑制", "已静默"),
    ("up", "在线"),
    ("down", "宕机", "下线"),
    ("running", "运行中"),
    ("stopped", "stop", "stopping", "已停止", "停止"),
    ("started", "start", "starting", "已启动", "启动"),
    ("restarted", "restart", "restarting", "restarts", "重启"),
    ("waiting", "等待"),
    ("succeeded", "success", "successful", "successfully", "succeeds", "succeed", "成功"),
    ("failed", "failure", "fail", "fails", "failing", "failures", "失败"),
    ("completed", "complete", "completes", "finished", "完成"),
    ("timeout", "timeouts", "timed out", "time out", "times out", "timed-out", "超时"),
    ("exhausted", "exhaustion", "exhaust", "耗尽", "用尽"),
    ("full", "已满", "满"),
    ("empty", "为空"),
    ("available", "可用"),
    ("unavailable", "不可用"),
    ("reachable", "可达"),
    ("unreachable", "不可达"),
    ("healthy", "健康"),
    ("unhealthy", "degraded", "不健康"),
    ("ready", "就绪"),
    ("unready", "notready", "未就绪"),
    ("connected", "已连接"),
    ("disconnected", "断开", "已断开"),
    ("opened", "open", "打开"),
    ("closed", "close", "closing", "关闭"),
    ("accepted", "accept", "接受"),
    ("rejected", "reject", "rejects", "拒绝"),
    ("refused", "refuse", "refuses"),
    ("denied", "deny", "denies"),
    ("allowed", "allow", "allows", "允许"),
    ("forbidden", "禁止"),
    ("enabled", "enable", "enables", "enabling", "启用"),
    ("disabled", "disable", "disables", "disabling", "禁用"),
    ("active", "活跃"),
    ("inactive",),
    ("idle", "空闲"),
    ("busy", "繁忙"),
    ("alive", "存活"),
    ("dead", "died", "死亡"),
    ("killed", "kill", "被杀"),
    ("crashed", "crash", "crashing", "crashes", "崩溃"),
    ("terminated", "terminating", "终止"),
    ("evicted", "eviction", "驱逐"),
    ("created", "create", "creating", "创建"),
    ("deleted", "delete", "deleting", "removed", "删除"),
    ("scheduled",),
    ("unscheduled",),
    ("synced", "已同步"),
    ("expired", "expires", "过期", "已过期"),
    ("valid", "有效"),
    ("invalid", "无效"),
    ("blocked", "blocking", "阻塞"),
    ("locked", "锁定"),
    ("unlocked",),
    ("deadlock", "deadlocked", "死锁"),
    ("leaked", "leak", "leaks", "泄漏", "泄露"),
    ("lost", "丢失"),
    ("sent", "send", "sending", "发送", "已发送"),
    ("received", "receive", "接收"),
    ("dropped", "drop", "丢弃"),
    ("delivered", "已送达"),
    ("committed", "commit", "提交"),
    ("aborted", "abort", "aborting"),
    ("cancelled", "canceled", "取消"),
    ("rolled back", "rollback", "回滚"),
    ("increased", "increase", "increasing", "rising", "rose", "上升", "增加"),
    ("decreased", "decrease", "decreasing", "falling", "fell", "下降", "减少"),
    ("exceeded", "exceeds", "exceed", "超过", "超出"),
    ("above", "over", "高于"),
    ("below", "under", "低于"),
    ("before", "之前"),
    ("after", "之后"),
    ("first", "首次"),
    ("last", "最后"),
    ("maximum", "max", "最大"),
    ("minimum", "min", "最小"),
    ("high", "高"),
    ("low", "低"),
    ("slow", "慢"),
    ("fast", "快"),
    ("all", "全部", "所有"),
    ("some", "部分"),
    ("none",),
    ("true",),
    ("false",),
    ("yes",),
    ("on",),
    ("off",),
    ("ok", "okay"),
    ("unknown", "未知"),
    ("oom", "out of memory", "内存不足"),
    ("overloaded", "overload", "过载"),
    ("primary", "master", "主库"),
    ("secondary", "replica", "slave", "从库"),
    ("leader",),
    ("follower",),
    ("read-only", "readonly", "只读"),
    ("corrupt", "corrupted", "损坏"),
    ("recovered", "recovery", "recovering"),
    ("missing", "缺失"),
    ("found", "发现"),
    ("duplicate", "duplicated", "重复"),
    ("present",),
    ("absent",),
    ("changed", "change"),
    ("unchanged",),
    ("matched", "match", "matches"),
    ("mismatch", "mismatched"),
    ("able",),
    ("unable",),
    ("expected",),
    ("unexpected",),
    ("supported",),
    ("unsupported",),
    ("likely", "probably"),
    ("unlikely",),
    ("possible", "possibly", "maybe", "may", "might", "可能"),
)  # fmt: skip
"""States, events and other words that a lie turns round, forms of one state in a row; no two rows say the same."""

AMBIGUOUS_STATES = frozenset(
    {
        "on", "over", "under", "up", "all", "some", "last", "first", "present", "may", "max", "min", "match",
        "open", "close", "change", "before", "after", "start", "stop", "send", "full", "满", "高", "低", "慢", "快",
    }
)  # fmt: skip
"""State words that are light words too: told anew they are no added fact, but they may not replace another state."""

FUNCTION_WORDS = frozenset(
    {
        "a", "an", "the", "this", "that", "these", "those", "it", "its", "they", "their", "there", "here", "which",
        "who", "of", "in", "on", "at", "by", "with", "from", "to", "into", "onto", "as", "for", "per", "via", "is",
        "are", "was", "were", "be", "been", "being", "am", "has", "have", "had", "having", "do", "does", "did",
        "and", "or", "but", "if", "then", "so", "than", "will", "would", "shall", "should", "can", "could", "we",
        "you", "i", "he", "she", "yet", "any", "also", "just", "about", "after", "before", "over", "under",
        "between", "within", "during", "while", "when",
    }
)  # fmt: skip

FUNCTION_WORDS_ZH = frozenset(
    "的了在是有为和与及个条次该此这那其把对从到于由向给用以并也就已曾过着得地之所中上里被出后前"
)

GENERIC_WORDS = frozenset(
    {
        "error", "errors", "err", "warning", "warnings", "warn", "failed", "failure", "fail", "fails", "timeout",
        "alert", "alerts", "alarm", "status", "state", "success", "succeeded", "ok", "info", "log", "logs",
        "logged", "show", "shows", "shown", "showed", "see", "debug", "trace", "message", "msg", "level",
        "exception", "event", "service", "system", "request", "requests", "response", "server", "data", "output",
        "result", "record", "records", "entry", "line", "occurred", "found", "issue", "problem", "normal", "fatal",
        "critical", "says", "reports", "reported",
    }
)  # fmt: skip

GENERIC_WORDS_ZH = (
    "错误", "异常", "告警", "报警", "警告", "失败", "成功", "超时", "状态", "日志", "信息", "显示", "出现", "发生",
    "存在", "服务", "系统", "请求", "响应", "消息", "记录", "问题", "正常", "报错", "提示", "事件", "级别", "结果",
)  # fmt: skip

UNITS = (
    "%", "‰", "ms", "s", "m", "h", "d", "w", "us", "μs", "ns", "sec", "secs", "second", "seconds", "min", "mins",
    "minute", "minutes", "hour", "hours", "hr", "hrs", "day", "days", "week", "weeks", "msec", "millis",
    "millisecond", "milliseconds", "microseconds", "nanoseconds", "b", "k", "g", "kb", "mb", "gb", "tb", "pb",
    "kib", "mib", "gib", "tib", "pib", "ki", "mi", "gi", "ti", "pi", "bit", "bits", "byte", "bytes", "kbit", "mbit",
    "gbit", "bps", "kbps", "mbps", "gbps", "b/s", "kb/s", "mb/s", "gb/s", "tb/s", "kib/s", "mib/s", "gib/s",
    "req/s", "ops/s", "rps", "qps", "tps", "iops", "hz", "khz", "mhz", "ghz", "mw", "kw", "v", "mv", "°c", "°f",
    "percent", "cores", "millicores",
)  # fmt: skip
"""Units that may stand behind their number with or without a space."""

UNITS_ZH = ("毫秒", "微秒", "纳秒", "秒", "分钟", "小时", "天", "周", "字节", "兆", "万", "亿", "千", "百")

COUNTERS_ZH = tuple("次个条台行笔倍人件页轮项份核颗块张位只名")
"""Chinese words that stand between a number and what it counts."""

LIST_WORDS = frozenset(
    {
        "codes", "ports", "ids", "pids", "shards", "partitions", "statuses", "nodes", "lines", "slots", "状态码",
        "端口", "分片", "分区", "错误码",
    }
)  # fmt: skip
"""Words before `80,443` that make it a list and no thousands."""
