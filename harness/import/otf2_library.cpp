#include "harness/import/otf2_library.hpp"

#include <malloc.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace petri {
namespace {

// What callbacks get as their user data.
struct Reading {
  const Otf2Sink& sink;
  std::string error;                     // the library's last message
  std::vector<std::uint64_t> locations;  // CPU threads, in the order of their definitions
  bool stopped = false;

  OTF2_CallbackCode put(const Otf2Record& record, const void* payload = nullptr) {
    if (!stopped) stopped = !sink(record, payload);
    return stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
  }

  OTF2_CallbackCode put_text(Otf2Record record, std::string_view text) {
    text = text.substr(0, kOtf2MostPayload);
    record.payload = static_cast<std::uint32_t>(text.size());
    return put(record, text.data());
  }

  // An event, behind its attributes.
  OTF2_CallbackCode put_event(OTF2_AttributeList* attributes, const Otf2Record& event) {
    const std::uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (std::uint32_t i = 0; i < count; ++i) {
      OTF2_AttributeRef name = 0;
      OTF2_Type type = OTF2_TYPE_NONE;
      OTF2_AttributeValue value;
      std::memset(&value, 0, sizeof value);
      if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &name, &type, &value) != OTF2_SUCCESS) continue;
      Otf2Record record{.kind = Otf2Kind::attribute, .a = name};
      if (type == OTF2_TYPE_STRING)
        record.b = value.stringRef;
      else if (type == OTF2_TYPE_INT64)
        record.c = 1, record.x = static_cast<std::uint64_t>(value.int64);
      else
        continue;
      put(record);
    }
    return put(event);
  }
};

Reading& of(void* user) {
  return *static_cast<Reading*>(user);
}

// Instead of the library's own words on standard error.
OTF2_ErrorCode note_error(void* user, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char* format,
                          va_list arguments) {
  char text[512] = "";
  if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
  std::string& error = of(user).error;
  error = OTF2_Error_GetDescription(code);
  if (text[0] != '\0') error += std::string(": ") + text;
  return code;
}

// The definitions.

OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t, std::uint64_t) {
  return of(user).put({.kind = Otf2Kind::clock, .x = resolution, .y = offset});
}

OTF2_CallbackCode on_text(void* user, OTF2_StringRef self, const char* text) {
  return of(user).put_text({.kind = Otf2Kind::text, .a = self}, text != nullptr ? text : "");
}

OTF2_CallbackCode on_attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type) {
  return of(user).put({.kind = Otf2Kind::attribute_name, .a = self, .b = name});
}

OTF2_CallbackCode on_location_group(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef) {
  return of(user).put({.kind = Otf2Kind::location_group, .a = self, .b = name, .c = type});
}

OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                              std::uint64_t, OTF2_LocationGroupRef group) {
  if (type == OTF2_LOCATION_TYPE_CPU_THREAD) of(user).locations.push_back(self);
  return of(user).put({.kind = Otf2Kind::location, .b = name, .c = type, .d = group, .x = self});
}

OTF2_CallbackCode on_location_property(void* user, OTF2_LocationRef location, OTF2_StringRef name, OTF2_Type type,
                                       OTF2_AttributeValue value) {
  Otf2Record record{.kind = Otf2Kind::location_fact, .a = name, .x = location};
  if (type == OTF2_TYPE_STRING)
    record.b = value.stringRef;
  else if (type == OTF2_TYPE_INT64)
    record.c = 1, record.y = static_cast<std::uint64_t>(value.int64);
  else
    return OTF2_CALLBACK_SUCCESS;
  return of(user).put(record);
}

OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef description, OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef,
                            std::uint32_t, std::uint32_t) {
  return of(user).put({.kind = Otf2Kind::region, .a = self, .b = name, .c = description});
}

OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t count,
                           const std::uint64_t* members) {
  if (count > kOtf2MostPayload / sizeof *members) count = 0;
  return of(user).put({.kind = Otf2Kind::group,
                       .a = self,
                       .b = name,
                       .c = type,
                       .d = paradigm,
                       .payload = static_cast<std::uint32_t>(count * sizeof *members),
                       .x = flags},
                      members);
}

OTF2_CallbackCode on_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
                          OTF2_CommFlag) {
  return of(user).put({.kind = Otf2Kind::comm, .a = self, .b = name, .c = group, .d = parent});
}

OTF2_CallbackCode on_inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a,
                                OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag) {
  return of(user).put({.kind = Otf2Kind::inter_comm, .a = self, .b = name, .c = group_a, .d = group_b, .x = common});
}

OTF2_CallbackCode on_window(void* user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag) {
  return of(user).put({.kind = Otf2Kind::window, .a = self, .b = name, .c = comm});
}

template <class Type, void (*Delete)(Type*)>
struct Deleter {
  void operator()(Type* callbacks) const { Delete(callbacks); }
};

void read_definitions(OTF2_Reader* reader, Reading& reading) {
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  const auto fail = [&] {
    throw std::runtime_error("the archive's global definitions (its .def file) cannot be read: " + reading.error);
  };
  if (definitions == nullptr) fail();
  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks,
                        Deleter<OTF2_GlobalDefReaderCallbacks, OTF2_GlobalDefReaderCallbacks_Delete>>
      callbacks(OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks.get(), on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks.get(), on_text);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks.get(), on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks.get(), on_location_group);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks.get(), on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks.get(), on_location_property);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks.get(), on_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks.get(), on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks.get(), on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks.get(), on_inter_comm);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks.get(), on_window);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks.get(), &reading);
  std::uint64_t count = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS && !reading.stopped) fail();
}

// The events.

#define PETRI_EVENT(name, ...)                                                             \
  OTF2_CallbackCode name(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, \
                         OTF2_AttributeList* list __VA_OPT__(, ) __VA_ARGS__)

PETRI_EVENT(on_enter, OTF2_RegionRef region) {
  return of(user).put_event(list, {.kind = Otf2Kind::enter, .a = region, .time = time});
}
PETRI_EVENT(on_leave, OTF2_RegionRef region) {
  return of(user).put_event(list, {.kind = Otf2Kind::leave, .a = region, .time = time});
}
PETRI_EVENT(on_send, std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  return of(user).put_event(list,
                            {.kind = Otf2Kind::send, .a = receiver, .b = comm, .c = tag, .time = time, .x = bytes});
}
PETRI_EVENT(on_isend, std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
            std::uint64_t request) {
  return of(user).put_event(
      list, {.kind = Otf2Kind::isend, .a = receiver, .b = comm, .c = tag, .time = time, .x = bytes, .y = request});
}
PETRI_EVENT(on_isend_complete, std::uint64_t request) {
  return of(user).put_event(list, {.kind = Otf2Kind::isend_complete, .time = time, .y = request});
}
PETRI_EVENT(on_irecv_request, std::uint64_t request) {
  return of(user).put_event(list, {.kind = Otf2Kind::irecv_request, .time = time, .y = request});
}
PETRI_EVENT(on_recv, std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  return of(user).put_event(list, {.kind = Otf2Kind::recv, .a = sender, .b = comm, .c = tag, .time = time, .x = bytes});
}
PETRI_EVENT(on_irecv, std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
            std::uint64_t request) {
  return of(user).put_event(
      list, {.kind = Otf2Kind::irecv, .a = sender, .b = comm, .c = tag, .time = time, .x = bytes, .y = request});
}
PETRI_EVENT(on_request_test, std::uint64_t request) {
  return of(user).put_event(list, {.kind = Otf2Kind::request_test, .time = time, .y = request});
}
PETRI_EVENT(on_request_cancelled, std::uint64_t request) {
  return of(user).put_event(list, {.kind = Otf2Kind::request_cancelled, .time = time, .y = request});
}
PETRI_EVENT(on_collective_begin) {
  return of(user).put_event(list, {.kind = Otf2Kind::collective_begin, .time = time});
}
PETRI_EVENT(on_collective_end, OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
            std::uint64_t received) {
  return of(user).put_event(
      list,
      {.kind = Otf2Kind::collective_end, .a = operation, .b = comm, .c = root, .time = time, .x = sent, .z = received});
}
PETRI_EVENT(on_program_end, std::int64_t status) {
  return of(user).put_event(list,
                            {.kind = Otf2Kind::program_end, .time = time, .x = static_cast<std::uint64_t>(status)});
}
PETRI_EVENT(on_thread_end, OTF2_CommRef, std::uint64_t) {
  return of(user).put_event(list, {.kind = Otf2Kind::thread_end, .time = time});
}
PETRI_EVENT(on_measurement, OTF2_MeasurementMode mode) {
  const Otf2Kind kind = mode == OTF2_MEASUREMENT_OFF ? Otf2Kind::measurement_off : Otf2Kind::measurement_on;
  return of(user).put_event(list, {.kind = kind, .time = time});
}
PETRI_EVENT(on_collective_request, std::uint64_t request) {
  return of(user).put_event(list, {.kind = Otf2Kind::collective_request, .time = time, .y = request});
}
PETRI_EVENT(on_collective_complete, OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
            std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
  return of(user).put_event(list, {.kind = Otf2Kind::collective_complete,
                                   .a = operation,
                                   .b = comm,
                                   .c = root,
                                   .time = time,
                                   .x = sent,
                                   .y = request,
                                   .z = received});
}
PETRI_EVENT(on_comm_create, OTF2_CommRef comm) {
  return of(user).put_event(list, {.kind = Otf2Kind::comm_create, .b = comm, .time = time});
}
PETRI_EVENT(on_comm_destroy, OTF2_CommRef comm) {
  return of(user).put_event(list, {.kind = Otf2Kind::comm_destroy, .b = comm, .time = time});
}
PETRI_EVENT(on_window_create, OTF2_RmaWinRef window) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_create, .b = window, .time = time});
}
PETRI_EVENT(on_window_destroy, OTF2_RmaWinRef window) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_destroy, .b = window, .time = time});
}
PETRI_EVENT(on_window_access, OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t bytes, std::uint64_t) {
  return of(user).put_event(list,
                            {.kind = Otf2Kind::window_access, .b = window, .c = remote, .time = time, .x = bytes});
}
PETRI_EVENT(on_window_atomic, OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaAtomicType, std::uint64_t sent,
            std::uint64_t, std::uint64_t) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_access, .b = window, .c = remote, .time = time, .x = sent});
}
PETRI_EVENT(on_window_lock, OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t, OTF2_LockType type) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_lock, .b = window, .c = remote, .d = type, .time = time});
}
PETRI_EVENT(on_window_unlock, OTF2_RmaWinRef window, std::uint32_t remote, std::uint64_t) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_unlock, .b = window, .c = remote, .time = time});
}
PETRI_EVENT(on_window_sync, OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_sync, .b = window, .c = remote, .time = time});
}
PETRI_EVENT(on_window_group, OTF2_RmaSyncLevel, OTF2_RmaWinRef window, OTF2_GroupRef group) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_group, .b = window, .d = group, .time = time});
}
PETRI_EVENT(on_window_collective, OTF2_CollectiveOp, OTF2_RmaSyncLevel, OTF2_RmaWinRef window, std::uint32_t,
            std::uint64_t, std::uint64_t) {
  return of(user).put_event(list, {.kind = Otf2Kind::window_collective, .b = window, .time = time});
}
#undef PETRI_EVENT

using EventCallbacks =
    std::unique_ptr<OTF2_EvtReaderCallbacks, Deleter<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete>>;

EventCallbacks event_callbacks() {
  EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
  OTF2_EvtReaderCallbacks* const to = callbacks.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_leave);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_isend_complete);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_irecv_request);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_recv);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_irecv);
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(to, on_request_test);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, on_request_cancelled);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(to, on_collective_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_collective_end);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(to, on_program_end);
  OTF2_EvtReaderCallbacks_SetThreadEndCallback(to, on_thread_end);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(to, on_measurement);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, on_collective_request);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_collective_complete);
  OTF2_EvtReaderCallbacks_SetCommCreateCallback(to, on_comm_create);
  OTF2_EvtReaderCallbacks_SetCommDestroyCallback(to, on_comm_destroy);
  OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(to, on_window_create);
  OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(to, on_window_destroy);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(to, on_window_access);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(to, on_window_access);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(to, on_window_atomic);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(to, on_window_lock);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(to, on_window_lock);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(to, on_window_unlock);
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(to, on_window_sync);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(to, on_window_group);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(to, on_window_collective);
  return callbacks;
}

// Local definitions map a location's own numbers to the global ones; who has none uses those.
void read_local_definitions(OTF2_Reader* reader, std::uint64_t location) {
  OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions == nullptr) return;
  std::uint64_t count = 0;
  OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count);
  OTF2_Reader_CloseDefReader(reader, definitions);
}

void read_events(OTF2_Reader* reader, std::uint64_t location, const OTF2_EvtReaderCallbacks* callbacks,
                 Reading& reading) {
  reading.error.clear();
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location);
  reading.put({.kind = Otf2Kind::location_begin, .c = events != nullptr, .x = location});
  if (events == nullptr) return;
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &reading);
  std::uint64_t count = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, events, &count);
  OTF2_Reader_CloseEvtReader(reader, events);
  reading.put_text({.kind = Otf2Kind::location_end, .c = code == OTF2_SUCCESS, .x = location}, reading.error);
}

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};

}  // namespace

void read_otf2_archive(const std::string& anchor, std::uint64_t first, const Otf2Sink& sink) {
  Reading reading{sink, "the OTF2 library cannot open it", {}, false};
  OTF2_Error_RegisterCallback(note_error, &reading);
  const std::unique_ptr<OTF2_Reader, CloseReader> reader(OTF2_Reader_Open(anchor.c_str()));
  if (reader == nullptr) throw std::runtime_error("its anchor file cannot be read: " + reading.error);
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS) throw std::runtime_error(reading.error);
  // The library takes so much for each file that it reads.
  std::uint64_t events = 0, definitions = 0;
  if (OTF2_Reader_GetChunkSize(reader.get(), &events, &definitions) != OTF2_SUCCESS ||
      std::max(events, definitions) > OTF2_CHUNK_SIZE_MAX)
    throw std::runtime_error("its anchor file gives chunks of a size that no archive has");
  // Behind the end of a file that breaks off, the library reads on in memory that it has not written: zeros, which are
  // no record, instead of what was there before.
  ::mallopt(M_PERTURB, 0xff);
  char* creator = nullptr;
  if (OTF2_Reader_GetCreator(reader.get(), &creator) == OTF2_SUCCESS && creator != nullptr)
    reading.put_text({.kind = Otf2Kind::creator}, creator);
  std::free(creator);
  read_definitions(reader.get(), reading);
  reading.put({.kind = Otf2Kind::definitions_end});

  for (const std::uint64_t location : reading.locations) OTF2_Reader_SelectLocation(reader.get(), location);
  if (OTF2_Reader_OpenDefFiles(reader.get()) == OTF2_SUCCESS) {
    for (std::size_t i = first; i < reading.locations.size(); ++i)
      read_local_definitions(reader.get(), reading.locations[i]);
    OTF2_Reader_CloseDefFiles(reader.get());
  }
  const EventCallbacks callbacks = event_callbacks();
  OTF2_Reader_OpenEvtFiles(reader.get());
  for (std::size_t i = first; i < reading.locations.size() && !reading.stopped; ++i)
    read_events(reader.get(), reading.locations[i], callbacks.get(), reading);
  OTF2_Reader_CloseEvtFiles(reader.get());
}

}  // namespace petri
