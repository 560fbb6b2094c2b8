/** Who is using this window, and what they may do. */
import { reactive } from 'vue'

import { api, send, setCsrf } from '../api/client'
import type { Lang, Me, Role } from '../api/types'
import { useLang } from '../i18n'

export const session = reactive({ id: '', user: '', role: 'viewer' as Role, known: false })

export async function loadMe(): Promise<void> {
  const me = await api<Me>('/api/auth/me')
  setCsrf(me.csrf ?? '')
  if (me.lang) await useLang(me.lang)
  Object.assign(session, { id: me.id, user: me.user, role: me.role, known: true })
}

/** Whether the user may run agents and touch phones. */
export function mayOperate(): boolean {
  return session.role !== 'viewer'
}

/** Whether the user may change a conversation: it is theirs or nobody's, or they are an admin. */
export function mayChange(owner: string | null): boolean {
  return mayOperate() && (owner === null || owner === session.id || session.role === 'admin')
}

/** Whether the user may change the agent's settings. */
export function mayConfigure(): boolean {
  return session.role === 'admin'
}

export async function chooseLang(value: Lang): Promise<void> {
  await useLang(value)
  await send('PUT', '/api/auth/me', { lang: value })
}

export async function logout(): Promise<void> {
  await send('POST', '/api/auth/logout')
  location.assign('/login')
}
