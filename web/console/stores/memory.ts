/** What is done about memories: experiences, actions, their review. */
import { ref } from 'vue'

import { api, send } from '../api/client'
import type { Action, EarnedDay, Experience, MemoryBrought, MemoryFigures, RememberedApp, ReviewState } from '../api/types'
import { ownZone } from '../i18n/time'
import { report } from './toasts'

export const EXPERIENCES = '/api/agent/experiences'
export const ACTIONS = '/api/agent/actions'
export const AUDIT = `${EXPERIENCES}/audit`
export const MEMORY = '/api/agent/memory'

interface ExperienceDraft {
  task: string
  recipe: string
  app: string
}

interface ActionDraft {
  name: string
  aliases: string[]
  app: string
  steps: unknown
}

export const figures = ref<MemoryFigures | null>(null)
export const earnedDays = ref<EarnedDay[]>([])
export const review = ref<ReviewState | null>(null)

const one = (collection: string, id: string) => `${collection}/${encodeURIComponent(id)}`

/** Read anew what the head of the page shows; says whether somebody answered. */
export async function refresh(): Promise<boolean> {
  try {
    const [earned, days, state] = await Promise.all([
      api<MemoryFigures>(MEMORY),
      api<{ items: EarnedDay[] }>(`${MEMORY}/days?zone=${encodeURIComponent(ownZone())}`),
      api<ReviewState>(AUDIT),
    ])
    figures.value = earned
    earnedDays.value = days.items
    review.value = state
    return true
  } catch (error) {
    report(error)
    return false
  }
}

export function saveExperience(draft: ExperienceDraft, id?: string): Promise<Experience> {
  return id ? send('PUT', one(EXPERIENCES, id), draft) : send('POST', EXPERIENCES, draft)
}

export function saveAction(draft: ActionDraft, id?: string): Promise<Action> {
  return id ? send('PUT', one(ACTIONS, id), draft) : send('POST', ACTIONS, draft)
}

export function forgetOne(collection: string, id: string): Promise<unknown> {
  return api(one(collection, id), { method: 'DELETE', keepalive: true }) // also when the page is left
}

export function keep(id: string): Promise<unknown> {
  return send('POST', `${one(EXPERIENCES, id)}/keep`)
}

export function beginReview(): Promise<{ started: boolean }> {
  return send('POST', AUDIT)
}

export async function rememberedApps(): Promise<RememberedApp[]> {
  return (await api<{ items: RememberedApp[] }>(`${MEMORY}/apps`)).items
}

export function forgetApp(app: string): Promise<{ experiences: number; actions: number }> {
  return send('POST', `${MEMORY}/forget`, { app })
}

export async function bringIn(file: File): Promise<MemoryBrought> {
  const body: unknown = JSON.parse(await file.text())
  return send('POST', `${MEMORY}/import`, body as object)
}
