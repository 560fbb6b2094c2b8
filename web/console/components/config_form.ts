/** The agent's settings as a form edits them: what changed, and whose fault an error is. */
import { ApiError } from '../api/client'
import type { AgentConfig } from '../api/types'
import { t } from '../i18n'

export type Field = Exclude<keyof AgentConfig, 'providers'>

export const FIELDS: Field[] = [
  'agent_provider', 'agent_api_base', 'agent_model', 'agent_api_key', 'agent_default_serial',
  'agent_max_steps', 'agent_slots', 'agent_autonomy', 'agent_vision',
]
export const AUTONOMY = ['observe', 'confirm_all', 'confirm_risky', 'auto'] as const
export const VISION = ['auto', 'on', 'off'] as const

/** Only what differs from the settings that were read; numbers stay numbers. */
export function changes(read: AgentConfig, edited: AgentConfig): Partial<AgentConfig> {
  const changed = FIELDS.filter((field) => edited[field] !== read[field])
  return Object.fromEntries(changed.map((field) => [field, edited[field]]))
}

/** The message for each field that the server named; other errors are not the form's. */
export function fieldErrors(error: unknown): Partial<Record<Field, string>> {
  if (!(error instanceof ApiError)) return {}
  const field = FIELDS.find((name) => name === error.path.split('.').at(-1))
  return field ? { [field]: error.message } : {}
}

const FOUND = {
  answers: 'config.found.answers',
  usage: 'config.found.usage',
  reasoning: 'config.found.reasoning',
  tools: 'config.found.tools',
  tool_choice: 'config.found.tool_choice',
  vision: 'config.found.vision',
} as const

/** What was tried of a model, in words; another provider's own name stays as it is. */
export function foundName(name: string): string {
  return name in FOUND ? t(FOUND[name as keyof typeof FOUND]) : name
}

/** Whether something that was tried works; null means that it could not be tried. */
export function mark(ok: boolean | null): 'yes' | 'no' | 'unknown' {
  return ok === null ? 'unknown' : ok ? 'yes' : 'no'
}
