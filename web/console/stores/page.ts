/** Where we are: `/` and `/chat/<id>` for the chat, `/devices`; and which dialogs are open. */
import { reactive } from 'vue'

export interface Place {
  view: 'chat' | 'devices'
  convId: string | null
}

export function place(path: string): Place {
  if (path.startsWith('/devices')) return { view: 'devices', convId: null }
  const found = /^\/chat\/([\w-]+)/.exec(path)
  return { view: 'chat', convId: found?.[1] ?? null }
}

export const page = reactive({
  ...place(location.pathname),
  config: false,
  connect: false,
  shortcuts: false,
  drawer: false,
  livePanel: false,
  picture: null as { src: string; alt: string } | null,
})

/** Go to another page of the console; `replace` leaves no step back. */
export function go(path: string, replace = false): void {
  if (path !== location.pathname) history[replace ? 'replaceState' : 'pushState'](null, '', path)
  arrive()
}

function arrive(): void {
  Object.assign(page, place(location.pathname), { drawer: false, livePanel: false })
}

addEventListener('popstate', arrive)
