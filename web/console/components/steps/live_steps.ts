/** Carry steps out on the phone in one's hands, and know how each goes. */
import { onBeforeUnmount, reactive } from 'vue'

import { ApiError, request } from '../../api/client'
import type { StepResult } from './editing'
import { branches, type Step } from './tree'

interface Told {
  began?: string
  record?: { path: string; status: 'ok' | 'failed' | 'stopped'; ms: number; said?: string; error?: { message: string } }
  verdict?: string
  values?: Record<string, string>
  error?: { code: string; message: string; hint?: string } | null
}

export interface LiveRun {
  running: boolean
  results: Record<string, StepResult>
  /** What steps have read from the screen, for those that are tried later. */
  values: Record<string, string>
}

export function useLiveSteps(serial: () => string, inputs: () => Record<string, unknown>) {
  const live = reactive<LiveRun>({ running: false, results: {}, values: {} })
  let abort: AbortController | null = null

  /** Do steps; `real` gives a place in the list from the one that was sent. Throws what went wrong. */
  async function carryOut(body: { steps: Step[]; first?: number; risky?: boolean }, real: (path: string) => string) {
    abort?.abort()
    const mine = new AbortController()
    abort = mine
    live.running = true
    let open = ''
    try {
      const response = await request(`/api/devices/${encodeURIComponent(serial())}/steps`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...body, inputs: { ...inputs(), ...live.values } }),
        signal: mine.signal,
      })
      for await (const told of lines(response)) {
        if (told.began) {
          open = real(told.began)
          live.results[open] = { status: 'running' }
        } else if (told.record) {
          const { path, status, ms, said, error } = told.record
          live.results[real(path)] = { status, ms, said, message: error?.message }
        } else if (told.verdict) {
          Object.assign(live.values, told.values)
          if (told.error) throw new ApiError(0, told.error)
        }
      }
    } catch (error) {
      if (mine.signal.aborted) return
      throw error
    } finally {
      for (const result of Object.values(live.results)) if (result.status === 'running') result.status = 'stopped'
      if (abort === mine) live.running = false
    }
  }

  /** Do one step; a person who presses its button answers for it, unless others stand inside it. */
  function one(step: Step, path: string): Promise<void> {
    const alone = !branches(step).length && step.type !== 'run_action'
    return carryOut({ steps: [step], risky: alone }, (told) => told.replace(/^steps\.0/, path))
  }

  function from(steps: Step[], first: number): Promise<void> {
    live.results = {}
    return carryOut({ steps, first }, (told) => told)
  }

  function stop() {
    abort?.abort()
  }

  onBeforeUnmount(stop)
  return { live, one, from, stop }
}

async function* lines(response: Response): AsyncGenerator<Told> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const found = (rest + (value ?? '')).split('\n')
      rest = done ? '' : found.pop()!
      for (const line of found) if (line.trim()) yield JSON.parse(line) as Told
      if (done) return
    }
  } finally {
    reader.releaseLock()
  }
}
