import { expect, test } from 'vitest'

import { ApiError } from '../api/client'
import type { AgentConfig } from '../api/types'
import { changes, fieldErrors, priceOf, withPrices } from './config_form'

const config: AgentConfig = {
  agent_api_base: 'https://api.deepseek.com',
  agent_model: '',
  agent_api_key: 'sk-…1234',
  agent_default_serial: '',
  agent_max_steps: 40,
  agent_provider: '',
  agent_slots: 1,
  agent_autonomy: 'confirm_risky',
  agent_task_draft: null,
  agent_vision: 'auto',
  agent_budget_tokens: 0,
  agent_budget_cost: 0,
  agent_budget_minutes: 0,
  agent_retention_days: 30,
  agent_retention_gb: 5,
  agent_audit_replay: false,
  agent_prices: {},
  providers: ['openai', 'offline'],
}

test('only what was edited is sent', () => {
  const sent = changes(config, { ...config, agent_max_steps: 60, agent_model: 'm' })

  expect(sent).toEqual({ agent_model: 'm', agent_max_steps: 60 })
})

test('an error stands at the field that the server named', () => {
  const error = new ApiError(400, { code: 'invalid', message: 'too many', path: 'agent_slots' })

  expect(fieldErrors(error)).toEqual({ agent_slots: 'too many' })
})

test('an error without a field belongs to no field', () => {
  const error = new ApiError(500, { code: 'internal', message: 'broken' })

  expect(fieldErrors(error)).toEqual({})
})

const prices = { m: { input: 1, output: 2, cached: 0.1, currency: 'CNY' }, n: { input: 3, output: 4, currency: 'USD' } }

test('a price that was refused is named with its model', () => {
  const error = new ApiError(400, { code: 'invalid', message: 'no', path: 'agent_prices.qwen2.5.input' })

  expect(fieldErrors(error)).toEqual({ 'agent_prices.qwen2.5.input': 'no' })
})

test('prices that nobody touched are the same ones', () => {
  const typed = Object.fromEntries(['m', 'n', 'unknown', ''].map((model) => [model, priceOf(prices, model)]))

  expect(withPrices(prices, typed)).toBe(prices)
})

test('an emptied price is taken away, without touching another model', () => {
  const sent = withPrices(prices, { m: { input: '', output: '', cached: '', currency: 'CNY' } })

  expect(sent).toEqual({ n: prices.n })
})

test('a price without a cached part leaves it out', () => {
  const sent = withPrices(prices, { m: { ...priceOf(prices, 'm'), cached: '' } })

  expect(sent.m).toEqual({ input: 1, output: 2, currency: 'CNY' })
})
