/**
 * The one door to the console's API.
 *
 * Every failure is an ApiError with words for a person; a lost login leads to the login page.
 */
import { t } from '../i18n'

interface ErrorBody {
  code: string
  message: string
  hint?: string | null
  path?: string | null
  holder?: unknown
}

/** A request that did not succeed, in the server's words. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  readonly path: string

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.status = status
    this.code = body.code
    this.hint = body.hint ?? ''
    this.path = body.path ?? ''
  }

  /** Read the error out of a response, whatever a proxy in between made of it. */
  static async from(response: Response): Promise<ApiError> {
    return failure(response.status, await response.text().catch(() => ''))
  }

  static offline(): ApiError {
    return new ApiError(0, {
      code: 'network',
      message: t('error.network'),
      hint: t('error.networkHint'),
    })
  }
}

/** Read the error out of an answer that did not succeed. */
export function failure(status: number, text: string): ApiError {
  const error = parsed(text)?.error
  if (error?.message) return new ApiError(status, error)
  return new ApiError(status, {
    code: `http_${status}`,
    message: t('error.http', { status }),
    hint: t('error.httpHint'),
  })
}

function parsed(text: string): { error?: ErrorBody } | null {
  try {
    return JSON.parse(text) as { error?: ErrorBody } | null
  } catch {
    return null
  }
}

let token = ''

/** Remember the token that unsafe requests carry. */
export function setCsrf(value: string): void {
  token = value
}

export function csrf(): string {
  return token
}

/** Leave for the login page; the hash says where to come back to. */
export function toLogin(): void {
  if (location.pathname !== '/login') location.assign(`/login${location.hash}`)
}

/** Ask for anything; the response is checked, its body not yet read. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'X-CSRF-Token': csrf(), ...init.headers }
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw ApiError.offline()
  })
  if (response.ok) return response
  const error = await ApiError.from(response)
  if (response.status === 401) toLogin()
  throw error
}

/** Ask the console's API; a non-2xx becomes an ApiError with the server's message and hint. */
export async function api<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await request(path, init)
  if (response.status === 204) return undefined as T
  return response.json() as Promise<T>
}

/** Send JSON with an unsafe method. */
export function send<T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: object = {},
): Promise<T> {
  return api<T>(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
}
