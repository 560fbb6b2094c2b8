/** Read a run's events once in this window, for everybody here who shows that run. */
import { reactive } from 'vue'

import { subscribe } from '../live/hub'
import { apply, newRun, type RunView } from './run_view'

interface Reader {
  view: RunView
  ended: Set<() => void>
  end: () => void
}

const readers = new Map<string, Reader>()

/** Follow a run; `ended` is called after its last event. Gives the view, and what ends the following. */
export function readRun(runId: string, ended: () => void): { view: RunView; end: () => void } {
  const reader = readers.get(runId) ?? open(runId)
  reader.ended.add(ended)
  const end = () => {
    reader.ended.delete(ended)
    if (!reader.ended.size) close(runId, reader)
  }
  return { view: reader.view, end }
}

function open(runId: string): Reader {
  const reader: Reader = { view: reactive(newRun(runId)), ended: new Set(), end: () => {} }
  readers.set(runId, reader)
  reader.end = subscribe(`run:${runId}`, (envelope) => {
    if (!apply(reader.view, envelope)) return
    close(runId, reader)
    for (const tell of [...reader.ended]) tell()
  })
  return reader
}

function close(runId: string, reader: Reader): void {
  reader.end()
  if (readers.get(runId) === reader) readers.delete(runId)
}
