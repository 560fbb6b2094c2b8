/** The forms of steps, out of the server's JSON Schema: a type that is added there has its form here. */
import { reactive } from 'vue'

import { api } from '../../api/client'
import type { Step } from './tree'

interface Schema {
  $ref?: string
  type?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  title?: string
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  maxLength?: number
}

type Kind =
  | 'text' | 'long' | 'number' | 'flag' | 'choice' | 'spot' | 'values'
  | 'selector' | 'selectors' | 'condition' | 'expect' | 'steps'

export interface Field {
  name: string
  kind: Kind
  required: boolean
  title: string
  description: string
  options: string[]
  min?: number
  max?: number
  maxLength?: number
}

export const schema = reactive({
  parts: {} as Record<string, Schema>,
  types: [] as string[],
  neverInActions: [] as string[],
})

let asked: Promise<void> | null = null

/** Ask for the schema once. */
export function loadSchema(): Promise<void> {
  asked ??= read().catch((error: unknown) => {
    asked = null
    throw error
  })
  return asked
}

async function read(): Promise<void> {
  const answer = await api<{ schema: { $defs: Record<string, Schema> }; never_in_actions: string[] }>('/api/agent/steps')
  take(answer.schema.$defs, answer.never_in_actions)
}

export function take(parts: Record<string, Schema>, never: string[] = []): void {
  schema.parts = parts
  schema.types = Object.keys(parts).filter((name) => parts[name]?.properties?.type)
  schema.neverInActions = never
}

/** What every step may carry, which stands in the form's second part. */
export const COMMON = ['optional', 'note', 'timeout_s', 'alternatives', 'expect']

/** The fields of a type, in the schema's order, without its name and the lists inside it. */
export function fieldsOf(type: string): Field[] {
  const part = schema.parts[type]
  if (!part?.properties) return []
  return Object.entries(part.properties)
    .filter(([name]) => name !== 'type')
    .map(([name, raw]) => fieldOf(name, raw, part.required ?? []))
    .filter((field) => field.kind !== 'steps')
}

function fieldOf(name: string, raw: Schema, required: string[]): Field {
  const meant = raw.anyOf?.filter((each) => each.type !== 'null') ?? [raw]
  const one = meant[0] ?? raw
  return {
    name,
    kind: kindOf(name, one),
    required: required.includes(name),
    title: raw.title ?? name,
    description: raw.description ?? '',
    options: one.enum ?? [],
    min: one.minimum ?? one.exclusiveMinimum,
    max: one.maximum,
    maxLength: one.maxLength,
  }
}

const REFS: Record<string, Kind> = { Selector: 'selector', Condition: 'condition', Expect: 'expect', Step: 'steps' }

function kindOf(name: string, one: Schema): Kind {
  const ref = (each?: Schema) => each?.$ref?.split('/').at(-1) ?? ''
  if (one.$ref) return REFS[ref(one)] ?? 'text'
  if (one.type === 'array') {
    if (one.prefixItems) return 'spot'
    return ref(one.items) === 'Step' ? 'steps' : 'selectors'
  }
  if (one.enum) return 'choice'
  if (one.type === 'boolean') return 'flag'
  if (one.type === 'number' || one.type === 'integer') return 'number'
  if (one.type === 'object') return 'values'
  return name === 'text' && (one.maxLength ?? 0) > 500 ? 'long' : 'text'
}

/** The keys by which a selector finds, the countable one last. */
export function selectorKeys(): string[] {
  return Object.keys(schema.parts.Selector?.properties ?? {})
}

/** A step of a type with its required fields as empty as they may be. */
export function blank(type: string): Step {
  const step: Step = { type }
  const part = schema.parts[type]
  for (const [name, raw] of Object.entries(part?.properties ?? {})) {
    if (name === 'type' || !part?.required?.includes(name)) continue
    step[name] = EMPTY[fieldOf(name, raw, []).kind]?.(raw) ?? ''
  }
  if (type === 'swipe') step.direction = 'up'
  if (type === 'repeat') step.times = 3
  return step
}

const EMPTY: Partial<Record<Kind, (raw: Schema) => unknown>> = {
  selector: () => ({ text: '' }),
  steps: () => [],
  flag: () => true,
  number: () => 1,
  choice: (raw) => raw.enum?.[0] ?? '',
  values: () => ({}),
}
