/** The designer: the run that explores or checks, followed live, and the newest draft. */
import { reactive, watch } from 'vue'

import { api, send } from '../api/client'
import type { Draft, RunStarted, RunState } from '../api/types'
import { go } from './page'
import { readRun } from './run_reader'
import { steps, type RunView, type StepView } from './run_view'
import { runs } from './runs'
import { report } from './toasts'

const OURS = ['designer', 'check']
const REPLAY = 'replay.'

export const builder = reactive({
  /** The newest draft; its `draft` is null while there was none. */
  kept: null as Draft | null,
  /** The run that is followed, or the last one that was. */
  view: null as RunView | null,
  prompt: '',
  sending: false,
})

let end = () => {}

export async function loadDraft(): Promise<void> {
  builder.kept = await api<Draft>('/api/agent/draft')
}

/** Have a model explore a job; says whether that began. */
export function build(prompt: string, serial: string): Promise<boolean> {
  builder.prompt = prompt
  return begin('/api/agent/run', { prompt, mode: 'designer', ...(serial && { serial }) })
}

/** Have the newest draft done once more, without a model. */
export function checkAgain(serial: string): Promise<boolean> {
  return begin('/api/agent/draft/check', serial ? { serial } : {})
}

/** Make a draft of what a run did, and show it. */
export async function saveAsTask(runId: string): Promise<void> {
  try {
    const made = await send<Draft & { run_id: string | null }>('POST', `/api/agent/runs/${runId}/task`)
    builder.kept = made
    if (made.run_id) follow(made.run_id)
    else builder.view = null
    go('/build')
  } catch (error) {
    report(error)
  }
}

async function begin(path: string, body: object): Promise<boolean> {
  builder.sending = true
  try {
    follow((await send<RunStarted>('POST', path, body)).run_id)
    return true
  } catch (error) {
    report(error)
    return false
  } finally {
    builder.sending = false
  }
}

function follow(runId: string): void {
  if (builder.view?.runId === runId) return
  end()
  const reader = readRun(runId, () => loadDraft().catch(report))
  builder.view = reader.view
  end = reader.end
}

/** The designer's run that goes on, if one does. */
export function designing(): RunState | undefined {
  return runs.items.find((run) => OURS.includes(run.mode))
}

/** Follow what was begun in another window too; says how to stop that. */
export function followDesigner(): () => void {
  return watch(
    () => designing()?.run_id,
    (runId) => {
      if (runId) follow(runId)
    },
    { immediate: true },
  )
}

/** The steps of the last check that a run's view shows. */
export function replayed(view: RunView): StepView[] {
  const all = steps(view)
  const before = all.map((step) => !step.tool.startsWith(REPLAY)).lastIndexOf(true)
  const handed = all[before]
  const last = handed && handed.tool !== 'submit_task' ? [] : all.slice(before + 1)
  // a check that has ended is told by what handed it in; the next one begins anew
  return last.filter((step) => step.tool.startsWith(REPLAY))
}
