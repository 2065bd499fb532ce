;;; Publisher, subscriber and echo over std_msgs/UInt8MultiArray. Also the package, and what all patterns use.

(defpackage :roslisp-peer
  (:use :cl)
  (:export #:main))

(in-package :roslisp-peer)

(defparameter *head-bytes* 32 "What changes in a payload from message to message, and its last 8.")

(defun publication-connected-p (publication)
  (not (null (roslisp::subscriber-connections publication))))

(defun subscription-connected-p (subscriber)
  (not (null (roslisp::publisher-connections (roslisp::subscriber-subscription subscriber)))))

(defun subscribe (topic type callback)
  (apply #'roslisp:subscribe topic type callback
         (unless (peer-kit:job-flag "keep_all") ; without a length the queue has no end
           (list :max-queue-length (peer-kit:job-number "depth")))))

(defun wait-until (seconds test)
  "Asks test every millisecond (roslisp has no event for it); an error when time is up."
  (let ((deadline (+ (peer-kit:now) (* seconds 1000000000))))
    (loop until (funcall test)
          do (when (> (peer-kit:now) deadline)
               (error "no match in time"))
             (sleep 0.001))))

(defun topic-is-published-p (topic)
  "Does the master know a publisher of the topic?"
  (destructuring-bind (publishers &rest others) (roslisp::ros-rpc-call roslisp::*master-uri* "getSystemState")
    (declare (ignore others))
    (and (listp publishers) (member topic publishers :key #'first :test #'equal))))

(defun await-other-side (topic)
  "Two roslisp nodes that subscribe to each other at the same moment wait for each other's lock, until both give
up. So of two sides that publish and subscribe, one makes its endpoints when the other's are there; if
it does not come, this ends, and the match is waited for as always."
  (ignore-errors
   (wait-until (floor (peer-kit:job-number "match_timeout_ns") 2000000000)
               (lambda () (topic-is-published-p topic)))))

;;; The pattern

(defun make-array-message (data)
  (flet ((dimension (label size stride)
           (make-instance 'std_msgs-msg:MultiArrayDimension :label label :size size :stride stride)))
    (let ((size (length data)))
      (make-instance
       'std_msgs-msg:UInt8MultiArray
       :layout (make-instance 'std_msgs-msg:MultiArrayLayout
                              :dim (vector (dimension "height" 1 size) (dimension "width" size size)
                                           (dimension "channel" 1 1))
                              :data_offset 0)
       :data data))))

(defun payload-publisher (publication size)
  "A function that publishes the payload as the kit has written it."
  (let* ((buffer (peer-kit:payload size))
         (data (make-array size :element-type '(unsigned-byte 8)))
         (message (make-array-message data)))
    (flet ((copy (from to)
             (loop for i from from below to do (setf (aref data i) (sb-sys:sap-ref-8 buffer i)))))
      (copy 0 size)
      (lambda ()
        (copy 0 (min size *head-bytes*))
        (copy (max 0 (- size 8)) size)
        (roslisp:publish publication message)))))

(defun on-array (message)
  (let* ((arrived (peer-kit:now))
         (data (std_msgs-msg:data message))
         (bytes (make-array (length data) :element-type '(unsigned-byte 8))))
    (map-into bytes #'identity data)
    (peer-kit:message arrived bytes message)))

(defun make-topic ()
  "The functions of the pattern: a property list."
  (let* ((publishes (equal (peer-kit:job-text "role") "publisher"))
         (echo (peer-kit:job-flag "echo"))
         (topic (peer-kit:job-text "topic"))
         (echo-topic (peer-kit:job-text "echo_topic"))
         (latch (peer-kit:job-flag "transient_local"))
         subscriber publication)
    (when (and publishes echo)
      (await-other-side echo-topic))
    (when (or echo (not publishes))
      (setf subscriber (subscribe (if publishes echo-topic topic) "std_msgs/UInt8MultiArray" #'on-array)))
    (when (or echo publishes)
      (setf publication (roslisp:advertise (if publishes topic echo-topic) "std_msgs/UInt8MultiArray"
                                           :latch latch)))
    (list :matched (lambda ()
                     (and (or (null publication) (publication-connected-p publication))
                          (or (null subscriber) (subscription-connected-p subscriber))))
          :publish (when publishes
                     (payload-publisher publication (peer-kit:job-number "payload_bytes")))
          :echo (lambda (message) (roslisp:publish publication message)))))
