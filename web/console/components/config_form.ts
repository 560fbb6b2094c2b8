/** The agent's settings as a form edits them: what changed, and whose fault an error is. */
import { ApiError } from '../api/client'
import type { AgentConfig, Price } from '../api/types'
import { t } from '../i18n'

export type Field = Exclude<keyof AgentConfig, 'providers' | 'agent_task_draft'>
/** A price as it is typed: a number, or nothing. */
export type PriceForm = Record<'input' | 'output' | 'cached', number | ''> & { currency: string }
export type PriceForms = Record<string, PriceForm>
/** Messages by the path that the server named, for example `agent_prices.m1.input`. */
export type Errors = Record<string, string>

const FIELDS: Field[] = [
  'agent_provider', 'agent_api_base', 'agent_model', 'agent_api_key', 'agent_default_serial',
  'agent_max_steps', 'agent_slots', 'agent_autonomy', 'agent_vision',
  'agent_budget_tokens', 'agent_budget_cost', 'agent_budget_minutes',
  'agent_retention_days', 'agent_retention_gb', 'agent_audit_replay', 'agent_prices',
]
export const VISION = ['auto', 'on', 'off'] as const

/** Only what differs from the settings that were read; numbers stay numbers. */
export function changes(read: AgentConfig, edited: AgentConfig): Partial<AgentConfig> {
  const changed = FIELDS.filter((field) => edited[field] !== read[field])
  return Object.fromEntries(changed.map((field) => [field, edited[field]]))
}

/** The message for the field that the server named; other errors are not the form's. */
export function fieldErrors(error: unknown): Errors {
  if (!(error instanceof ApiError)) return {}
  const [name] = error.path.split('.')
  const ours = name === 'pictures_kept' || FIELDS.some((field) => field === name)
  return ours ? { [error.path]: error.message } : {}
}

/** A model's price as the form shows it. */
export function priceOf(prices: Record<string, Price>, model: string): PriceForm {
  const { input = '', output = '', cached, currency = 'USD' } = prices[model] ?? {}
  return { input, output, cached: cached ?? '', currency }
}

/** The prices with each model's as it was typed; the very same ones where nothing was changed. */
export function withPrices(prices: Record<string, Price>, typed: PriceForms): Record<string, Price> {
  return Object.entries(typed).reduce((before, [model, price]) => withPrice(before, model, price), prices)
}

function withPrice(prices: Record<string, Price>, model: string, typed: PriceForm): Record<string, Price> {
  const known = priceOf(prices, model)
  const keys = Object.keys(known) as (keyof PriceForm)[]
  if (!model || keys.every((key) => known[key] === typed[key])) return prices
  const { [model]: _, ...others } = prices
  const { cached, ...price } = typed
  if (isEmpty(typed)) return model in prices ? others : prices
  // what was left empty is refused by the server in words, like every other wrong value
  return { ...others, [model]: (cached === '' ? price : typed) as Price }
}

export function isEmpty(price: PriceForm): boolean {
  return [price.input, price.output, price.cached].every((amount) => amount === '')
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
