/** What the parts of a step editor share: what is wrong where, and a way to ask for an element. */
import { inject, provide, type InjectionKey } from 'vue'

/** How a step went the last time it was carried out. */
export interface StepResult {
  status: 'running' | 'ok' | 'failed' | 'stopped'
  ms?: number
  said?: string
  message?: string
}

export interface Problem {
  path: string
  message: string
}

interface Editing {
  readonly: () => boolean
  /** What is wrong at this place or within it. */
  problem: (path: string) => string | undefined
  /** Have an element chosen for the selector at this place; undefined when that is not offered. */
  pick: () => ((path: string) => void) | undefined
}

const KEY: InjectionKey<Editing> = Symbol('step editing')

export function provideEditing(editing: Editing): void {
  provide(KEY, editing)
}

export function useEditing(): Editing {
  return inject(KEY, { readonly: () => false, problem: () => undefined, pick: () => undefined })
}

/** Whether a place is this one or lies within it. */
export function within(place: string, path: string): boolean {
  return place === path || place.startsWith(`${path}.`)
}
