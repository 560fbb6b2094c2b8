/** The list of conversations at the left, newest first, and its search. */
import { reactive } from 'vue'

import { api, send } from '../api/client'
import type { ConversationItem, ConversationPage } from '../api/types'

export const conversations = reactive({
  items: [] as ConversationItem[],
  next: null as string | null,
  query: '',
  known: false,
})

/** The words looked for; the field keeps what is typed, a space before the next word, too. */
export function soughtFor(): string {
  return conversations.query.trim()
}

let asked = 0

/** Read the first page for the present search; a late answer to an older search is dropped. */
export async function loadConversations(): Promise<void> {
  asked += 1
  const turn = asked
  const found = await page('')
  if (turn === asked) Object.assign(conversations, found, { known: true })
}

export async function moreConversations(): Promise<void> {
  const turn = asked
  const found = await page(conversations.next ?? '')
  if (turn !== asked) return
  conversations.items.push(...found.items)
  conversations.next = found.next
}

function page(cursor: string): Promise<ConversationPage> {
  const query = new URLSearchParams()
  const words = soughtFor()
  if (words) query.set('q', words)
  if (cursor) query.set('cursor', cursor)
  return api(`/api/agent/conversations?${query}`)
}

export function rename(id: string, title: string): Promise<unknown> {
  return send('PATCH', `/api/agent/conversations/${id}`, { title })
}

export function remove(id: string): Promise<unknown> {
  return send('DELETE', `/api/agent/conversations/${id}`)
}

export function exportUrl(id: string, format: 'md' | 'json'): string {
  return `/api/agent/conversations/${id}/export?format=${format}`
}
