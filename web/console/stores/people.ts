/** What is done about people: users, their logins and tokens, one's own password. */
import { api, send } from '../api/client'
import type { Role, User } from '../api/types'

export const USERS = '/api/auth/users'
export const SESSIONS = '/api/auth/sessions'
export const TOKENS = '/api/auth/tokens'
export const AUDIT = '/api/auth/audit'
export const ROLES: Role[] = ['viewer', 'operator', 'admin']

const one = (collection: string, id: string) => `${collection}/${encodeURIComponent(id)}`

/** Add a user; the answer carries the password that was made. */
export function addUser(name: string, role: Role): Promise<User> {
  return send('POST', USERS, { name, role })
}

export function setRole(id: string, role: Role): Promise<User> {
  return send('PUT', one(USERS, id), { role })
}

/** Give a user a new password, which the answer carries; their logins end. */
export function resetPassword(id: string): Promise<User> {
  return send('PUT', one(USERS, id), { reset_password: true })
}

export function remove(collection: string, id: string): Promise<unknown> {
  return api(one(collection, id), { method: 'DELETE' })
}

/** Make a token and return its secret. */
export async function addToken(name: string, role: Role): Promise<string> {
  return (await send<{ token: string }>('POST', TOKENS, { name, role })).token
}

export function changePassword(old: string, changed: string): Promise<unknown> {
  return send('PUT', '/api/auth/me', { old_password: old, new_password: changed })
}
