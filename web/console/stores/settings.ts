/**
 * The agent's settings as this window edits them.
 *
 * What is typed and not saved outlives a visit to another page; closing the window asks first.
 */
import { computed, reactive, watch } from 'vue'

import { api, send } from '../api/client'
import type { AgentConfig, ConfigTest, ModelProfile } from '../api/types'
import { changes, fieldErrors, priceOf, withPrices, type Errors, type PriceForms } from '../components/config_form'
import { t } from '../i18n'
import { keepConfig } from './config'
import { report, toast } from './toasts'

const CONFIG = '/api/agent/config'
const PROFILE = '/api/agent/config/profile'

export const settings = reactive({
  read: null as AgentConfig | null,
  form: {} as AgentConfig,
  prices: {} as PriceForms,
  profile: null as ModelProfile | null,
  pictures: 1,
  errors: {} as Errors,
  busy: '' as 'save' | 'test' | '',
  tested: null as ConfigTest | null,
})

/** What would be sent to be kept. */
export const unsaved = computed<Partial<AgentConfig>>(() => {
  if (!settings.read) return {}
  const prices = withPrices(settings.read.agent_prices, settings.prices)
  return changes(settings.read, { ...settings.form, agent_prices: prices })
})
/** The profile is the saved model's; of one that is only typed nothing is known. */
export const modelSaved = computed(
  () => Boolean(settings.form.agent_model) && !('agent_model' in unsaved.value || 'agent_api_base' in unsaved.value),
)
const picturesChanged = computed(() => modelSaved.value && settings.pictures !== settings.profile?.pictures_kept)
export const unsavedCount = computed(() => Object.keys(unsaved.value).length + Number(picturesChanged.value))

watch(
  () => settings.form.agent_model,
  (model) => {
    if (model && !settings.prices[model]) settings.prices[model] = priceOf(settings.read?.agent_prices ?? {}, model)
  },
)

function askFirst(event: BeforeUnloadEvent) {
  if (unsavedCount.value) event.preventDefault()
}
addEventListener('beforeunload', askFirst)

/** Read what is kept; what was typed here stays. */
export async function readSettings(): Promise<void> {
  const [config, profile] = await Promise.all([api<AgentConfig>(CONFIG), api<ModelProfile>(PROFILE)])
  const typed = picturesChanged.value ? settings.pictures : profile.pictures_kept
  take(config, { ...config, ...unsaved.value }, { ...pricesOf(config), ...edited() })
  settings.profile = profile
  settings.pictures = typed
}

export function discard(): void {
  const { read, profile } = settings
  if (!read) return
  take(read, read, pricesOf(read))
  settings.pictures = profile?.pictures_kept ?? 1
  settings.errors = {}
  settings.tested = null
}

/** Keep what was changed; a refused value is said at its field, and everything stays as typed. */
export function save(): Promise<void> {
  return attempt('save', async () => {
    const pictures = picturesChanged.value ? { pictures_kept: settings.pictures } : null
    if (Object.keys(unsaved.value).length) {
      const config = await send<AgentConfig>('PUT', CONFIG, unsaved.value)
      take(config, config, pricesOf(config))
      keepConfig(config)
    }
    settings.profile = pictures
      ? await send<ModelProfile>('PUT', PROFILE, pictures)
      : await api<ModelProfile>(PROFILE)
    settings.pictures = settings.profile.pictures_kept
    toast(t('config.saved'))
  })
}

/** Try the model out with what is typed. */
export function test(): Promise<void> {
  return attempt('test', async () => {
    settings.tested = await send<ConfigTest>('POST', `${CONFIG}/test`, unsaved.value)
  })
}

async function attempt(what: 'save' | 'test', work: () => Promise<void>): Promise<void> {
  settings.busy = what
  settings.errors = {}
  settings.tested = null
  try {
    await work()
  } catch (error) {
    settings.errors = fieldErrors(error)
    if (!Object.keys(settings.errors).length) report(error)
  } finally {
    settings.busy = ''
  }
}

function take(read: AgentConfig, form: AgentConfig, prices: PriceForms): void {
  settings.read = read
  settings.form = { ...form }
  settings.prices = prices
}

/** A row for each model that has a price, and for the one in use. */
function pricesOf(config: AgentConfig): PriceForms {
  const models = [...new Set([config.agent_model, ...Object.keys(config.agent_prices)])].filter(Boolean)
  return Object.fromEntries(models.map((model) => [model, priceOf(config.agent_prices, model)]))
}

function edited(): PriceForms {
  return 'agent_prices' in unsaved.value ? settings.prices : {}
}
