import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../i18n'
import { page } from '../stores/page'
import { apply, newRun, storedRun, type RunView } from '../stores/run_view'
import { serve, settled } from '../testing'
import RunBlock from './RunBlock.vue'
import StepList from './StepList.vue'
import ThinkingBlock from './ThinkingBlock.vue'

beforeEach(() => {
  lang.value = 'en'
})

afterEach(() => vi.unstubAllGlobals())

function show(view: RunView) {
  return mount(RunBlock, { props: { view, mayRepeat: true } })
}

test('thoughts are open while they stream and closed at the first other thing', async () => {
  const block = mount(ThinkingBlock, { props: { text: 'hmm', streaming: true } })

  const before = block.get('details').attributes('open')
  await block.setProps({ streaming: false })

  expect(before).toBeDefined()
  expect(block.get('details').attributes('open')).toBeUndefined()
  expect(block.get('summary').text()).toContain('3 characters')
})

test('thoughts that were opened by hand stay open', async () => {
  const block = mount(ThinkingBlock, { props: { text: 'hmm', streaming: true } })

  await block.get('summary').trigger('click')
  await block.get('summary').trigger('click')
  await block.setProps({ streaming: false })

  expect(block.get('details').attributes('open')).toBeDefined()
})

test('a failed step says why, and its picture can be enlarged', async () => {
  const step = { kind: 'step' as const, n: 3, tool: 'de_tap_text', args: { text: 'New' }, ms: 90 }
  const failed = { ...step, state: 'failed' as const, text: 'not found', image: '/api/artifacts/a' }
  const list = mount(StepList, { props: { steps: [failed] } })

  await list.get('button').trigger('click')

  expect(list.get('details').attributes('open')).toBeDefined()
  expect(list.text()).toContain('not found')
  expect(page.picture).toEqual({ src: '/api/artifacts/a', alt: 'Picture of step 3' })
})

test('a step that waits for a person says so and shows no check', () => {
  const step = { kind: 'step' as const, n: 1, tool: 'de_tap_text', args: {}, ms: 9, text: '', image: null }
  const list = mount(StepList, { props: { steps: [{ ...step, state: 'waiting' as const }] } })

  expect(list.get('.tag').text()).toBe('waiting for you')
  expect(list.get('[title] svg').classes()).toContain('lucide-hand')
})

test('a run that goes on shows what it does', () => {
  const view = newRun('r1')
  apply(view, {
    event: 'route',
    data: { channel: 'phone', reason: 'you chose it', considered: ['phone', 'browser'] },
  })
  apply(view, { event: 'step_started', data: { n: 1, tool: 'de_ui_tree', args: {} } })

  const block = show(view)

  expect(block.text()).toContain('Channel phone · you chose it')
  expect(block.text()).toContain('Working…')
  expect(block.find('.fold').exists()).toBe(false)
})

test('a stopped run keeps its words and says that it was stopped', () => {
  const view = newRun('r1')
  apply(view, { event: 'delta', data: { text: 'So far', kind: 'content' } })
  apply(view, { event: 'done', data: { answer: '', stopped: true } })

  const block = show(view)

  expect(block.text()).toContain('So far')
  expect(block.text()).toContain('Stopped')
})

test('a failed run shows message, hint and code', () => {
  const view = newRun('r1')
  apply(view, { event: 'error', data: { code: 'model_auth', message: 'Refused', hint: 'New key' } })

  const block = show(view)

  expect(block.get('.error').text()).toMatch(/Refused.*New key.*model_auth/)
})

test('a stored run is folded to a line and fetches its steps when it is opened', async () => {
  const asked = serve({
    'GET /api/agent/runs/r1': { steps: [{ n: 1, tool: 'de_ui_tree', args: {}, ok: true, ms: 12 }] },
  })
  const message = { id: 2, role: 'assistant' as const, content: '**Hi**', created: '', run_id: 'r1' }
  const block = show(storedRun({ ...message, steps: 1, ms: 4_800, verified: true }))

  const line = block.get('.fold > summary').text()
  const open = Object.assign(new Event('toggle'), { newState: 'open' })
  block.get('.fold').element.dispatchEvent(open)
  await settled()

  expect(line).toMatch(/^1 step · 4.8 s\s*Verified$/)
  expect(block.get('.md').html()).toContain('<strong>Hi</strong>')
  expect(asked.map((one) => one.path)).toEqual(['/api/agent/runs/r1'])
})

test('the footer counts tokens and calls', () => {
  const usage = { prompt_tokens: 8960, completion_tokens: 452, total_tokens: 9412, calls: 7, cached_tokens: 6144 }
  const message = { id: 2, role: 'assistant' as const, content: 'Hi', created: '', run_id: null, usage }

  const foot = show(storedRun(message)).get('.foot').text()

  expect(foot).toContain('9,412 tokens')
  expect(foot).toContain('input 8,960 · output 452 · cached 6,144 · 7 calls')
})

test('a run that broke off can go on where its brain knows how', async () => {
  const message = { id: 2, role: 'assistant' as const, content: 'half', created: '', run_id: 'r1' }
  const error = { code: 'interrupted', message: 'restarted' }
  const knows = show(storedRun({ ...message, error, again: ['resume', 'restart'] }))
  const rules = show(storedRun({ ...message, error, again: ['restart'] }))
  const labels = (block: typeof knows) => block.findAll('footer button').map((each) => each.text())

  await knows.findAll('footer button')[1]?.trigger('click')

  expect(labels(knows)).toEqual(['Copy', 'Go on', 'Run again'])
  expect(labels(rules)).toEqual(['Copy', 'Run again'])
  expect(knows.emitted('resume')).toHaveLength(1)
})
