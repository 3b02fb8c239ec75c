"""Speech to text and text to speech, by services that speak OpenAI's protocol."""
