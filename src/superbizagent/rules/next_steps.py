"""Next steps: which of the Executor's proposals collect evidence, and which would change a system.

Decides: whether a step is kept. A step is dropped when its action is not one that collects evidence, when its words
ask for a change (restart, scale, roll back, 重启, 扩容, 回滚 …), or when it says nothing. Refuses: to reword a step.
A verb of change that stands as a noun or in the past ("the restart count", "was it restarted", 重启次数) is no
proposal. After the verdicts, a step that names a number or an identifier which nobody asked about or proved is dropped
too. Protocol: section 4.
"""

import re
from collections.abc import Sequence

from superbizagent.contract.results import KeptStep, Warned
from superbizagent.contract.vocabulary import StepAction, WarningCode
from superbizagent.rules.executor_output import ReadStep
from superbizagent.rules.tokens import is_identifier, is_numeric, tokens_of

_VERBS_EN = (
    "add adjust apply block bounce bump change clear configure cordon delete deploy disable drain drop enable evict "
    "failover fail-over fix flush grow halt increase install kill lower migrate modify optimise optimize patch "
    "provision purge raise reboot recreate redeploy reduce reload remove renew repair replace reset resize resolve "
    "restart revert roll rollback rotate scale set shrink shut shutdown start stop switch terminate throttle tune "
    "truncate uninstall update upgrade downgrade vacuum wipe"
).split()
_OPENERS_EN = "and or then please should must to now let's just immediately also by".split()
_VERBS_ZH = (
    "重启 扩容 缩容 回滚 删除 清理 清空 杀掉 杀死 终止 停止 停掉 关闭 启动 启用 禁用 修改 调整 调大 调小 增加 增大 "
    "减少 降低 提高 升级 降级 切换 重置 重建 重新部署 部署 发布 迁移 替换 更换 更新 修复 限流 熔断 驱逐 释放 续期 续签"
).split()
_NOUN_AFTER_ZH = "次数 记录 过 了 时间 原因 历史 事件 情况 日志 前 后 之前 之后 告警 状态 策略 配置".split()
_ASKING_BEFORE_ZH = "是否 有没有 有无 何时 为何 为什么 谁 最近 上次 曾 被 已 自动".split()

_CLAUSE_EDGE = re.compile(r"[.,;:!?，。；：！？、\n]|->|→")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{0,40}|[\u4e00-\u9fff]+|[0-9]+")
_CHANGE_ZH = re.compile("|".join(sorted(map(re.escape, _VERBS_ZH), key=len, reverse=True)))


def proposes_change(text: str) -> bool:
    """Whether `text` asks for a change of a system, in English or Chinese."""
    return any(_clause_asks(clause) for clause in _CLAUSE_EDGE.split(text))


def _clause_asks(clause: str) -> bool:
    words = _WORD.findall(clause.lower())
    for position, word in enumerate(words):
        if word in _VERBS_EN and (position == 0 or words[position - 1] in _OPENERS_EN):
            return True
    for found in _CHANGE_ZH.finditer(clause):
        before, after = clause[max(0, found.start() - 4) : found.start()], clause[found.end() : found.end() + 3]
        named = any(after.lstrip("的").startswith(noun) for noun in _NOUN_AFTER_ZH)
        asked = any(word in before for word in _ASKING_BEFORE_ZH)
        if not named and not asked:
            return True
    return False


def keep_evidence_steps(steps: Sequence[ReadStep]) -> tuple[list[ReadStep], list[Warned]]:
    """The steps that collect evidence, and a warning for each one that was dropped."""
    kept: list[ReadStep] = []
    warnings: list[Warned] = []
    actions = {action.value for action in StepAction}
    for step in steps:
        if step.action is not None and step.action not in actions:
            reason = "its action is not one that collects evidence"
        elif not step.target.strip():
            reason = "it says nothing"
        elif proposes_change(step.target):
            reason = "it would change a system"
        else:
            kept.append(step)
            continue
        message = f"a next step was dropped: {reason}"
        warnings.append(Warned(code=WarningCode.NEXT_STEP_DROPPED, claim_id=step.reason_claim_id, message=message))
    return kept, warnings


def keep_proven_steps(steps: Sequence[ReadStep], known: Sequence[str]) -> tuple[list[KeptStep], list[Warned]]:
    """The steps whose every number and identifier stands in a text of `known`: the question and the PASS claims."""
    names = {token.lower() for text in known for token in tokens_of(text)}
    kept: list[KeptStep] = []
    warnings: list[Warned] = []
    for step in steps:
        unknown = [token for token in tokens_of(step.target) if _is_name(token) and token.lower() not in names]
        if unknown:
            message = f"a next step was dropped: it names `{unknown[0][:60]}`, which nobody asked about or proved"
            warnings.append(Warned(code=WarningCode.NEXT_STEP_DROPPED, claim_id=step.reason_claim_id, message=message))
        else:
            kept.append(KeptStep(action=step.action, target=step.target, reason_claim_id=step.reason_claim_id))
    return kept, warnings


def _is_name(token: str) -> bool:
    return is_numeric(token.lower()) or is_identifier(token)
