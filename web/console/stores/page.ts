/**
 * Where we are, and which dialogs are open.
 *
 * The place is in the hash, so that the server has one page to serve and a login keeps it:
 * `#/` a new conversation, `#/chat/<id>`, `#/build`, `#/devices`, `#/devices/<serial>`, `#/tasks/<id>/<part>`,
 * `#/tasks/new?draft=1`, `#/monitor/<run>`, `#/memory/<part>/<id>`, `#/people/<part>`,
 * `#/settings/<part>`.
 */
import { reactive } from 'vue'

export interface Place {
  view: 'chat' | 'build' | 'devices' | 'tasks' | 'monitor' | 'memory' | 'people' | 'settings'
  convId: string | null
  /** What of the page is shown: a device's serial, a task, a part of the people, the memory or the settings. */
  part: string
  /** What of that is shown, and how. */
  sub: string
  query: string
}

/** The pages that are named in the address; what is after the name is theirs. */
const NAMED: Place['view'][] = ['build', 'devices', 'tasks', 'monitor', 'memory', 'people', 'settings']

/** A picture to be seen in full; `before` is how the screen was before an act. */
export interface Shot {
  src: string
  alt: string
  before?: string
  title?: string
  detail?: string
}

/** Read a path such as `/chat/a1b2`. */
export function place(path: string): Place {
  const [, name, part = '', sub = '', query = ''] = /^\/(\w+)(?:\/([^/?]*))?(?:\/([^/?]*))?(?:\?(.*))?$/.exec(path) ?? []
  const view = NAMED.find((each) => each === name)
  if (view) return { view, convId: null, part: decoded(part), sub: decoded(sub), query }
  const found = /^\/chat\/([\w-]+)/.exec(path)
  return { view: 'chat', convId: found?.[1] ?? null, part: '', sub: '', query: '' }
}

/** A hand-written address may be no valid encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const page = reactive({
  ...place(path()),
  connect: false,
  pair: false,
  shortcuts: false,
  drawer: false,
  livePanel: false,
  picture: null as { shots: Shot[]; at: number } | null,
})

/** Go to another page of the console; `replace` leaves no step back. */
export function go(to: string, replace = false): void {
  const address = href(to)
  if (to !== path()) history[replace ? 'replaceState' : 'pushState'](null, '', address)
  arrive()
}

/** The address of a place, for links. */
export function href(to: string): string {
  return `#${to}`
}

function path(): string {
  return location.hash.slice(1) || '/'
}

function arrive(): void {
  Object.assign(page, place(path()), { drawer: false, livePanel: false })
}

addEventListener('popstate', arrive)
