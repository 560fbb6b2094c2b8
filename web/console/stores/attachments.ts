/** The files of what is being written, by conversation: uploaded at once, sent with the words. */
import { reactive } from 'vue'

import { ApiError, send } from '../api/client'
import type { Attached } from '../api/types'
import { upload } from '../api/upload'
import { t } from '../i18n'
import { report, toast } from './toasts'

export const MOST = 8
export const MOST_MB = 10
const ROUTE = '/api/agent/attachments'

/** A file on its way; `attached` once it is there, `error` when it could not be. */
interface Pending {
  key: number
  name: string
  size: number
  share: number
  attached: Attached | null
  error: string
  stop: () => void
}

const drafts = reactive<Record<string, Pending[]>>({})
let keys = 0

/** The files of a conversation's next message. */
export function pendingOf(convId: string | null): Pending[] {
  return drafts[convId ?? ''] ?? []
}

/** Upload files for the next message, as many as one may carry. */
export function attach(convId: string | null, files: File[]): void {
  const key = convId ?? ''
  drafts[key] ??= []
  const list = drafts[key] // read again: what `??=` gives is not the reactive one
  const room = Math.max(0, MOST - list.filter((each) => !each.error).length)
  if (files.length > room) toast(t('attach.tooMany', { most: MOST }), 'error')
  for (const file of files.slice(0, room)) {
    list.push({ key: ++keys, name: file.name, size: file.size, share: 0, attached: null, error: '', stop: () => {} })
    void begin(list[list.length - 1], file)
  }
}

async function begin(pending: Pending, file: File): Promise<void> {
  if (file.size > MOST_MB * 1024 * 1024) {
    pending.error = t('attach.tooLarge', { most: MOST_MB })
    return
  }
  const sending = upload<Attached>(ROUTE, file, (share) => {
    pending.share = share
  })
  pending.stop = sending.stop
  try {
    pending.attached = await sending.done
  } catch (error) {
    pending.error = error instanceof ApiError ? error.message : String(error)
  }
}

/** Take a file away again; one that was uploaded is let go of. */
export function detach(convId: string | null, pending: Pending): void {
  const key = convId ?? ''
  drafts[key] = pendingOf(convId).filter((each) => each.key !== pending.key)
  pending.stop()
  if (pending.attached) send('DELETE', `${ROUTE}/${pending.attached.id}`).catch(report)
}

/** Take the files that are there, because they are being sent. */
export function takeFiles(convId: string | null): Pending[] {
  const taken = pendingOf(convId).filter((each) => each.attached)
  drafts[convId ?? ''] = []
  return taken
}

/** Put back what could not be sent. */
export function giveBack(convId: string | null, files: Pending[]): void {
  drafts[convId ?? ''] = [...files, ...pendingOf(convId)]
}
