"""To Feishu: replies as cards that grow, within the rate that an app has."""
