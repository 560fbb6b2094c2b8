/** Which agents are running, as the server says; asked for while the stream is broken. */
import { reactive, watch } from 'vue'

import { api, send } from '../api/client'
import type { RunSnapshot, RunState } from '../api/types'
import { link, subscribe } from '../live/hub'
import { report } from './toasts'

const ASK_MS = 8_000

export const runs = reactive({
  items: [] as RunState[],
  known: false,
  stopping: '',
})

export function followRuns(): void {
  subscribe('runs', (envelope) => {
    if (envelope.event === 'snapshot') take(envelope.data)
  })
  let timer = 0
  watch(link, (state) => {
    clearInterval(timer)
    if (state !== 'live') timer = window.setInterval(askQuietly, ASK_MS)
  })
}

export async function loadRuns(): Promise<void> {
  take(await api<RunSnapshot>('/api/agent/run'))
}

function askQuietly(): void {
  loadRuns().catch((error: unknown) => console.warn('the run snapshot could not be read', error))
}

function take(snapshot: RunSnapshot): void {
  runs.items = snapshot.runs.length || !snapshot.run ? snapshot.runs : [snapshot.run]
  runs.known = true
  if (!runs.items.some((run) => run.run_id === runs.stopping)) runs.stopping = ''
}

/** The run of a conversation, if one is going on. */
export function runOf(convId: string | null): RunState | undefined {
  return runs.items.find((run) => run.conv_id === convId)
}

/** Whether a slot is in use; a run that waits for a person has given its slot back. */
export function slotBusy(): boolean {
  return runs.items.some((run) => run.status === 'running' || run.status === 'queued')
}

export async function stop(runId: string): Promise<void> {
  runs.stopping = runId
  try {
    await send('POST', `/api/agent/run/${runId}/stop`)
  } catch (error) {
    runs.stopping = ''
    report(error)
  }
}
